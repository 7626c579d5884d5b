package encoder

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/assay-rag/assay/internal/simd"
)

// network is a BERT ready to be computed (Devlin et al. 2019, §3; the layers are
// those of Vaswani et al. 2017, §3.1, with the norms after each half).
type network struct {
	config
	kernels                    *simd.Kernels
	words, positions, segments matrix
	inputNorm                  layerNorm
	layers                     []layer
	pooler                     *linear // before the classifier, where the model has one
	classifier                 head    // of a pair, from [CLS]
	tokenClassifier            head    // of each token
	headSize                   int     // of an attention head
	attentionScale             float32
}

// layer is one of the network's.
type layer struct {
	attention linear // query, key and value, one after the other
	merge     linear
	mergeNorm layerNorm
	up, down  linear
	downNorm  layerNorm
}

// layerNorm is a layer norm's parameters.
type layerNorm struct{ gamma, beta []float32 }

func (n layerNorm) apply(k *simd.Kernels, out, x, residual []float32, epsilon float32) {
	size := len(n.gamma)
	for at := 0; at < len(x); at += size {
		var r []float32
		if residual != nil {
			r = residual[at : at+size]
		}
		k.LayerNorm(out[at:at+size], x[at:at+size], r, n.gamma, n.beta, epsilon)
	}
}

// newNetwork packs the weights for the kernels, in int8 where it is wanted. words
// stands in where the weights have no table of words.
func newNetwork(c config, w weights, words matrix, k *simd.Kernels, int8s bool) (*network, error) {
	n := &network{config: c, kernels: k, headSize: c.Hidden / c.AttentionHeads}
	n.attentionScale = inverseRoot(n.headSize)
	if w.prefix = ""; !w.has("embeddings.position_embeddings.weight") {
		w.prefix = "bert."
	}
	var err error
	const table = "embeddings.word_embeddings.weight"
	if n.words, err = w.matrix(table, c.Words, c.Hidden); err != nil {
		if w.has(table) || words.rows == 0 {
			return nil, err
		}
		if words.rows != c.Words || words.cols != c.Hidden {
			return nil, fmt.Errorf("the table of words to take is %d × %d, and the model needs %d × %d", words.rows, words.cols, c.Words, c.Hidden)
		}
		n.words = words
	}
	if n.positions, err = w.matrix("embeddings.position_embeddings.weight", c.Positions, c.Hidden); err != nil {
		return nil, err
	}
	if n.segments, err = w.matrix("embeddings.token_type_embeddings.weight", c.Segments, c.Hidden); err != nil {
		return nil, err
	}
	if n.inputNorm, err = w.norm("embeddings.LayerNorm", c.Hidden); err != nil {
		return nil, err
	}
	if w.has(fmt.Sprintf("encoder.layer.%d.output.dense.weight", c.Layers)) {
		return nil, fmt.Errorf("it has more layers than the %d that config.json speaks of", c.Layers)
	}
	if err := n.readLayers(w, int8s); err != nil {
		return nil, err
	}
	return n, n.readClassifier(w)
}

// readLayers packs the layers on all processors: it is most of the time that
// loading takes.
func (n *network) readLayers(w weights, int8s bool) error {
	n.layers = make([]layer, n.Layers)
	errs := make([]error, n.Layers)
	var wg sync.WaitGroup
	next := make(chan int, n.Layers)
	for i := range n.layers {
		next <- i
	}
	close(next)
	for range min(n.Layers, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := range next {
				n.layers[i], errs[i] = readLayer(n.config, w, n.kernels, int8s, fmt.Sprintf("encoder.layer.%d.", i))
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func readLayer(c config, w weights, k *simd.Kernels, int8s bool, name string) (l layer, err error) {
	self := name + "attention.self."
	if l.attention, err = newLinears(k, int8s, w, c.Hidden, c.Hidden, self+"query", self+"key", self+"value"); err != nil {
		return l, err
	}
	if l.merge, err = newLinears(k, int8s, w, c.Hidden, c.Hidden, name+"attention.output.dense"); err != nil {
		return l, err
	}
	if l.mergeNorm, err = w.norm(name+"attention.output.LayerNorm", c.Hidden); err != nil {
		return l, err
	}
	if l.up, err = newLinears(k, int8s, w, c.Hidden, c.Intermediate, name+"intermediate.dense"); err != nil {
		return l, err
	}
	if l.down, err = newLinears(k, int8s, w, c.Intermediate, c.Hidden, name+"output.dense"); err != nil {
		return l, err
	}
	l.downNorm, err = w.norm(name+"output.LayerNorm", c.Hidden)
	return l, err
}

func (w weights) norm(name string, n int) (out layerNorm, err error) {
	if out.gamma, err = w.vector(name+".weight", n); err != nil {
		return out, err
	}
	if !slices.ContainsFunc(out.gamma, func(x float32) bool { return x != 0 }) { // everything after it would be nothing
		return out, fmt.Errorf("tensor %s.weight is all zeros; the file is damaged", name)
	}
	out.beta, err = w.vector(name+".bias", n)
	return out, err
}

// readClassifier reads the heads of a cross-encoder, where the model has them: one for
// the pair ("classifier"), and one for each token ("token_classifier"). Between [CLS]
// and the first stands BERT's pooler, where the model has that.
func (n *network) readClassifier(w weights) error {
	encoder := w
	w.prefix = "" // the heads stand beside the encoder
	if !w.has("classifier.weight") {
		return nil
	}
	if n.Segments < 2 {
		return errors.New("the model has a classifier, and by config.json only one segment: a pair needs two")
	}
	inputs := n.Hidden
	if t, ok := encoder.tensors[encoder.prefix+"pooler.dense.weight"]; ok {
		if len(t.shape) != 2 || t.shape[0] < sizeUnit || t.shape[0]%sizeUnit != 0 || t.shape[0] > 1<<14 {
			return fmt.Errorf("tensor pooler.dense.weight has the shape %v, which is no pooler's", t.shape)
		}
		inputs = t.shape[0]
		pooler, err := newLinears(n.kernels, false, encoder, n.Hidden, inputs, "pooler.dense")
		if err != nil {
			return err
		}
		n.pooler = &pooler
	}
	var err error
	if n.classifier, err = readHead(w, "classifier", inputs); err != nil {
		return err
	}
	if w.has("token_classifier.weight") {
		n.tokenClassifier, err = readHead(w, "token_classifier", n.Hidden)
	}
	return err
}

// mostOutputs bounds a head's outputs.
const mostOutputs = 1 << 12

func readHead(w weights, name string, inputs int) (h head, err error) {
	shape := w.tensors[name+".weight"].shape
	if len(shape) != 2 || shape[0] < 1 || shape[0] > mostOutputs {
		return h, fmt.Errorf("tensor %s.weight has the shape %v, which is no classifier's", name, shape)
	}
	m, err := w.matrix(name+".weight", shape[0], inputs)
	if err != nil {
		return h, err
	}
	h.weights = make([]float32, shape[0]*inputs)
	for i := range shape[0] {
		m.row(h.weights[i*inputs:(i+1)*inputs], i)
	}
	h.bias, err = w.vector(name+".bias", shape[0])
	return h, err
}
