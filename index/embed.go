package index

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/assay-rag/assay/index/internal/vectors"
)

// Embedder turns texts into vectors of unit length, such that what means the
// same lies near together. It may be used concurrently, and returns soon after its
// context has ended.
// Fake: indextest.Embedder.
type Embedder interface {
	// Model names the model and whatever else changes its vectors. It is recorded
	// in the index, and vectors of two models are never mixed.
	Model() string
	// Dim is how many numbers a vector has.
	Dim() int
	// EmbedPassages returns a vector for each of the texts, in their order. Texts
	// longer than the model takes are the embedder's to deal with.
	EmbedPassages(ctx context.Context, texts []string) ([][]float32, error)
	// EmbedQuery returns the vector of a question.
	EmbedQuery(ctx context.Context, text string) ([]float32, error)
}

// embedBatch is how many passages are embedded between two commits: what an
// interruption costs, and how often the progress is told.
const embedBatch = 64

// textForm names the form in which embeddedText puts a passage. It is recorded with
// the model, since vectors of two forms can't be compared either: whoever changes
// the form raises the number.
const textForm = ";text=1"

// recorded is the name of a model under which its vectors are recorded.
func recorded(m Embedder) string { return m.Model() + textForm }

// embedding is what the file records of its vectors.
type embedding struct {
	model string // as recorded
	dim   int
	epoch vectors.Epoch
	// embedded is the highest passage that was embedded: every passage up to it
	// has a vector, and those above are left.
	embedded int64
}

// modelName is the model's own name; where the texts had another form, it says so.
func (e embedding) modelName() string { return strings.TrimSuffix(e.model, textForm) }

// embeddingOf reads it; ok is false where nothing was ever embedded.
func embeddingOf(ctx context.Context, s *session) (e embedding, ok bool, err error) {
	var epoch []byte
	err = s.row(ctx, []any{&e.model, &e.dim, &epoch, &e.embedded}, `SELECT model, dim, epoch, embedded FROM embedding`)
	if errors.Is(err, sql.ErrNoRows) {
		return e, false, nil
	}
	if err == nil && (len(epoch) != len(e.epoch) || e.dim < 1 || e.dim > vectors.MaxDim) {
		err = fmt.Errorf("%w: what it says of its vectors can't be right", ErrDamaged)
	}
	copy(e.epoch[:], epoch)
	return e, err == nil, err
}

// sameModel returns an error that wraps ErrModel where the vectors in the index
// aren't such as the embedder makes.
func (x *Index) sameModel(op string, e embedding) error {
	m := x.opts.Embedder
	if e.model == recorded(m) && e.dim == m.Dim() {
		return nil
	}
	made := fmt.Sprintf("they were made by %s (%d dimensions), and the embedder is %s (%d)", e.modelName(), e.dim, m.Model(), m.Dim())
	if renamed(e.modelName(), m.Model()) && e.dim == m.Dim() {
		made += ": only the names differ; if it is the same model, give it that name again"
	}
	return &Error{Op: op, Path: x.path, Kind: ErrModel, Hint: "use that model, or forget them (ForgetVectors) and make all anew, or open the index without an embedder",
		Err: errors.New(made)}
}

// renamed tells whether two names end in the same mark, as those of the package
// encoder do where a model's folder was renamed. Other embedders may have marks
// that mean less, so it is only a guess.
func renamed(a, b string) bool {
	i, j := strings.LastIndexByte(a, '@'), strings.LastIndexByte(b, '@')
	return i >= 0 && j >= 0 && a[i:] == b[j:]
}

// overtakenBy is the error of an Embed that finds vectors of another model, though
// there were none when it began.
func (x *Index) overtakenBy(e embedding) error {
	return &Error{Op: "embed", Path: x.path, Kind: ErrModel, Hint: "let it finish and use its model, or end it first and make all anew",
		Err: fmt.Errorf("another process has begun meanwhile to make them by %s (%d dimensions)", e.modelName(), e.dim)}
}

// checkEmbedder looks, when an index is opened, whether its embedder can be used
// with it.
func (x *Index) checkEmbedder(ctx context.Context, s *session) error {
	m := x.opts.Embedder
	if m == nil {
		return nil
	}
	if m.Model() == "" || m.Dim() < 1 || m.Dim() > vectors.MaxDim {
		return fmt.Errorf("the embedder %q of %d dimensions can't be recorded in an index; a model has a name, and vectors of 1 to %d dimensions", m.Model(), m.Dim(), vectors.MaxDim)
	}
	e, ok, err := embeddingOf(ctx, s)
	if err != nil || !ok {
		return err
	}
	return x.sameModel("open", e)
}

// Pending tells how many passages have no vector yet, in all collections.
func (x *Index) Pending(ctx context.Context) (n int, err error) {
	defer x.wrap("pending", &err)
	err = x.read(ctx, func(s *session) error {
		e, _, err := embeddingOf(ctx, s)
		if err != nil {
			return err
		}
		n, err = pendingAll(ctx, s, e.embedded)
		return err
	})
	return n, err
}

// pendingAll counts the passages above the watermark in all collections.
func pendingAll(ctx context.Context, s *session, embedded int64) (n int, err error) {
	var ids []int64
	if err := s.rows(ctx, func(scan func(...any) error) error {
		ids = append(ids, 0)
		return scan(&ids[len(ids)-1])
	}, `SELECT id FROM collections`); err != nil {
		return 0, err
	}
	for _, id := range ids {
		c, err := pendingOf(ctx, s, id, embedded)
		if err != nil {
			return 0, err
		}
		n += c
	}
	return n, nil
}

// pendingOf counts those of a collection: of the documents above the watermark,
// and of the one that may lie across it.
func pendingOf(ctx context.Context, s *session, collection, embedded int64) (n int, err error) {
	err = s.row(ctx, []any{&n}, `SELECT
		(SELECT coalesce(sum(count), 0) FROM documents WHERE collection = ?1 AND first > ?2) +
		coalesce((SELECT max(0, first + count - 1 - ?2) FROM documents WHERE collection = ?1 AND first <= ?2 ORDER BY first DESC, count DESC LIMIT 1), 0)`,
		collection, embedded)
	return n, err
}

// Embed makes the vectors that are missing, a batch after the other, until there
// are none. What is committed stays when it is cancelled or killed, and the next
// call goes on from there; while others write, it embeds what they add. Several
// processes may try: one of them gets ahead, and no batch is stored twice.
//
// progress, which may be nil, hears how many of how many passages have been
// embedded, at first and after every batch. The error wraps ErrModel where
// vectors of another model are there.
func (x *Index) Embed(ctx context.Context, progress func(done, total int)) (err error) {
	defer x.wrap("embed", &err)
	if x.opts.Embedder == nil {
		return errors.New("it was opened without an embedder; open it with Options.Embedder")
	}
	if err := x.beginEmbedding(ctx); err != nil {
		return err
	}
	if progress == nil {
		progress = func(int, int) {}
	}
	count := counting{x: x}
	for {
		b, err := x.nextBatch(ctx)
		if err != nil {
			return err
		}
		if err := count.before(ctx, len(b.ids)); err != nil {
			return err
		}
		progress(count.done, count.total)
		if len(b.ids) == 0 {
			return nil
		}
		switch err := x.embedStep(ctx, b); {
		case err == nil:
			count.done += len(b.ids)
		case errors.Is(err, errOvertaken):
			count.known = false
		default:
			return err
		}
	}
}

// counting is what the progress of an Embed hears. The passages that are left are
// counted at first, at last, and when others write or embed too.
type counting struct {
	x           *Index
	done, total int
	known       bool
}

// before counts before a batch of n passages.
func (c *counting) before(ctx context.Context, n int) error {
	if c.known && n > 0 && c.done+n <= c.total {
		return nil
	}
	left, err := c.x.Pending(ctx)
	if err != nil {
		return err
	}
	c.total = max(c.total, c.done+left)
	c.done = c.total - left
	c.known = true
	return nil
}

// beginEmbedding records the model where there are no vectors yet, and brings the
// mapped file up to date.
func (x *Index) beginEmbedding(ctx context.Context) error {
	m := x.opts.Embedder
	var known bool
	if err := x.read(ctx, func(s *session) (err error) {
		_, known, err = embeddingOf(ctx, s)
		return err
	}); err != nil {
		return err
	}
	if !known {
		if err := x.write(ctx, func(s *session) error {
			_, err := s.do(ctx, `INSERT INTO embedding (id, model, dim, epoch, embedded) VALUES (1, ?, ?, ?, 0) ON CONFLICT DO NOTHING`, recorded(m), m.Dim(), newEpoch())
			return err
		}); err != nil {
			return err
		}
	}
	if err := x.followVectors(ctx); err != nil {
		return err
	}
	return x.shrinkVectors(ctx)
}

// batch is passages that are to be embedded.
type batch struct {
	at    embedding
	ids   []int64
	texts []string
}

// nextBatch reads the first passages above the watermark.
func (x *Index) nextBatch(ctx context.Context) (b batch, err error) {
	err = x.read(ctx, func(s *session) error {
		var ok bool
		if b.at, ok, err = embeddingOf(ctx, s); err != nil {
			return err
		}
		if !ok {
			return errors.New("another process has removed all vectors meanwhile; start again")
		}
		if x.sameModel("embed", b.at) != nil {
			return x.overtakenBy(b.at) // when the index was opened they were of this one
		}
		b.ids, b.texts, err = textsAbove(ctx, s, b.at.embedded, embedBatch)
		return err
	})
	return b, err
}

// textsAbove reads the texts of the n lowest passages above a number.
func textsAbove(ctx context.Context, s *session, above int64, n int) (ids []int64, texts []string, err error) {
	type place struct {
		doc            int64
		start, end     int
		title, heading string
	}
	var places []place
	if err := s.rows(ctx, func(scan func(...any) error) error {
		var id int64
		var p place
		err := scan(&id, &p.doc, &p.start, &p.end, &p.title, &p.heading)
		ids, places = append(ids, id), append(places, p)
		return err
	}, `SELECT p.id, d.id, p.start, p.end, d.title, p.heading FROM passages p JOIN documents d ON d.id = p.document
		WHERE p.id > ? ORDER BY p.id LIMIT ?`, above, n); err != nil {
		return nil, nil, err
	}
	r := partReader{s: s}
	for _, p := range places {
		var heading []string
		if err := json.Unmarshal([]byte(p.heading), &heading); err != nil {
			return nil, nil, err
		}
		text, err := r.slice(p.doc, p.start, p.end)
		if err != nil {
			return nil, nil, err
		}
		texts = append(texts, embeddedText(p.title, heading, text))
	}
	return ids, texts, nil
}

// embeddedText is what is embedded of a passage: where it stands, and its text. A
// change of this form makes another textForm.
func embeddedText(title string, heading []string, text string) string {
	path := heading
	if title != "" && (len(heading) == 0 || heading[0] != title) {
		path = append([]string{title}, heading...)
	}
	if len(path) == 0 {
		return text
	}
	return strings.Join(path, " › ") + "\n" + text
}

// newEpoch draws what ties the mapped file to the vectors of one index.
func newEpoch() []byte {
	var epoch vectors.Epoch
	rand.Read(epoch[:])
	return epoch[:]
}

// errOvertaken says that another process has embedded meanwhile.
var errOvertaken = errors.New("another process has embedded the same passages")

// embedStep embeds a batch, holding no lock, and stores it.
func (x *Index) embedStep(ctx context.Context, b batch) error {
	made, err := x.opts.Embedder.EmbedPassages(ctx, b.texts)
	if err != nil {
		return fmt.Errorf("the embedder: %w", err)
	}
	if len(made) != len(b.texts) {
		return fmt.Errorf("the embedder made %d vectors of %d texts", len(made), len(b.texts))
	}
	blobs := make([][]byte, len(made))
	for i, v := range made {
		if len(v) != b.at.dim {
			return fmt.Errorf("the embedder made a vector of %d dimensions and says that they have %d", len(v), b.at.dim)
		}
		q, err := vectors.Quantize(v)
		if err != nil {
			return fmt.Errorf("the embedder made no vector of a passage: %w", err)
		}
		blobs[i] = q.AppendBlob(nil)
	}
	if err := x.write(ctx, func(s *session) error { return storeVectors(s, b, blobs) }); err != nil {
		return err
	}
	return x.followVectors(ctx)
}

// storeVectors stores a batch, without the passages that have gone since, where
// nobody else has embedded since.
func storeVectors(s *session, b batch, blobs [][]byte) error {
	now, ok, err := embeddingOf(bare, s)
	if err != nil {
		return err
	}
	if !ok || now != b.at {
		return errOvertaken
	}
	for i, id := range b.ids {
		if _, err := s.do(bare, `INSERT INTO vectors (passage, data) SELECT id, ? FROM passages WHERE id = ?`, blobs[i], id); err != nil {
			return err
		}
	}
	_, err = s.do(bare, `UPDATE embedding SET embedded = ?`, b.ids[len(b.ids)-1])
	return err
}

// ForgetVectors removes all vectors, as before they are made anew by another
// model. Until then, passages are found by their words alone.
func (x *Index) ForgetVectors(ctx context.Context) (err error) {
	defer x.wrap("forget vectors", &err)
	if err := x.write(ctx, func(s *session) error {
		return s.exec(ctx, `DELETE FROM vectors; DELETE FROM embedding`)
	}); err != nil {
		return err
	}
	return x.followVectors(ctx)
}
