"""ONNX Runtime on the weights of this repository, to measure package encoder beside.

    ort.py embed MODEL_FOLDER < tokens.json > vectors.f32
    ort.py time  MODEL_FOLDER float32|int8

MODEL_FOLDER has config.json and model.safetensors (int8 rows with scales, or float32). The network is written with ONNX
Runtime's own fused operators (Attention, SkipLayerNormalization, BiasGelu), which is the form that its optimizer makes of an
exported model and the fastest it has.

embed reads a JSON list of texts, each a list of windows, each a list of tokens, and writes the mean-pooled vectors of unit
length, float32. time measures passes on one thread, in float32 or with dynamic int8 quantization, and prints their
milliseconds as a JSON list; int8 takes more memory than it runs in, because the model is quantized first.
"""
import json
import os
import sys
import tempfile
import time

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors.numpy import load_file

SHAPES = (1, 32), (1, 256), (16, 64), (10, 256)


def weights(folder):
    raw = load_file(os.path.join(folder, "model.safetensors"))
    out = {}
    for name, t in raw.items():
        if t.dtype == np.int8:
            t = t.astype(np.float32) * raw[name + ".scale"][:, None]
        out[name] = t.astype(np.float32)
    return out


def network(folder):
    config = json.load(open(os.path.join(folder, "config.json")))
    hidden, heads, eps = config["hidden_size"], config["num_attention_heads"], config["layer_norm_eps"]
    w = weights(folder)
    nodes, inits = [], []

    def const(name, array):
        inits.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def node(op, inputs, name, domain="", **attributes):
        nodes.append(helper.make_node(op, inputs, [name], name=name, domain=domain, **attributes))
        return name

    e = "embeddings."
    word = node("Gather", [const("word", w[e + "word_embeddings.weight"]), "tokens"], "words")
    length = node("Slice", [node("Shape", ["tokens"], "shape"), const("one", np.array([1])), const("two", np.array([2]))], "length")
    table = const("position", w[e + "position_embeddings.weight"] + w[e + "token_type_embeddings.weight"][0])
    position = node("Slice", [table, const("zero", np.array([0])), length, const("axis", np.array([0]))], "positions")
    x = node("Add", [word, position], "input")
    x = node("LayerNormalization", [x, const("in.g", w[e + "LayerNorm.weight"]), const("in.b", w[e + "LayerNorm.bias"])], "normed", epsilon=eps, axis=-1)
    for i in range(config["num_hidden_layers"]):
        p, n = f"encoder.layer.{i}.", f"l{i}."
        parts = [p + "attention.self." + s for s in ("query", "key", "value")]
        qkv = const(n + "qkv", np.concatenate([w[s + ".weight"].T for s in parts], axis=1))
        qkv_bias = const(n + "qkvb", np.concatenate([w[s + ".bias"] for s in parts]))
        a = node("Attention", [x, qkv, qkv_bias], n + "attention", "com.microsoft", num_heads=heads)
        a = node("MatMul", [a, const(n + "o", w[p + "attention.output.dense.weight"].T)], n + "merge")
        x = node("SkipLayerNormalization", [a, x, const(n + "g1", w[p + "attention.output.LayerNorm.weight"]), const(n + "b1", w[p + "attention.output.LayerNorm.bias"]),
                                            const(n + "ob", w[p + "attention.output.dense.bias"])], n + "norm1", "com.microsoft", epsilon=eps)
        u = node("MatMul", [x, const(n + "u", w[p + "intermediate.dense.weight"].T)], n + "up")
        u = node("BiasGelu", [u, const(n + "ub", w[p + "intermediate.dense.bias"])], n + "gelu", "com.microsoft")
        u = node("MatMul", [u, const(n + "d", w[p + "output.dense.weight"].T)], n + "down")
        x = node("SkipLayerNormalization", [u, x, const(n + "g2", w[p + "output.LayerNorm.weight"]), const(n + "b2", w[p + "output.LayerNorm.bias"]),
                                            const(n + "db", w[p + "output.dense.bias"])], n + "norm2", "com.microsoft", epsilon=eps)
    graph = helper.make_graph(nodes, "bert", [helper.make_tensor_value_info("tokens", TensorProto.INT64, ["n", "t"])],
                              [helper.make_tensor_value_info(x, TensorProto.FLOAT, ["n", "t", hidden])], inits)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)])
    model.ir_version = 10
    return model


def session(model):
    o = ort.SessionOptions()
    o.intra_op_num_threads = o.inter_op_num_threads = 1
    o.log_severity_level = 3
    return ort.InferenceSession(model, o, providers=["CPUExecutionProvider"])


def embed(folder):
    s = session(network(folder).SerializeToString())
    for windows in json.load(sys.stdin):
        v = sum(s.run(None, {"tokens": np.array([w], np.int64)})[0][0].astype(np.float64).sum(0) for w in windows)
        sys.stdout.buffer.write((v / np.linalg.norm(v)).astype(np.float32).tobytes())


def measure(s):
    rng = np.random.default_rng(1)
    out = []
    for n, t in SHAPES:
        tokens = rng.integers(1000, 30000, (n, t), np.int64)
        best, until = float("inf"), time.perf_counter() + 3
        while time.perf_counter() < until:
            start = time.perf_counter()
            s.run(None, {"tokens": tokens})
            best = min(best, time.perf_counter() - start)
        out.append(best * 1e3)
    return out


def timing(folder, compute):
    model = network(folder)
    if compute == "float32":
        s = session(model.SerializeToString())
    else:
        with tempfile.TemporaryDirectory() as d:
            full, small = os.path.join(d, "full.onnx"), os.path.join(d, "small.onnx")
            onnx.save(model, full)
            quantize_dynamic(full, small, weight_type=QuantType.QInt8, per_channel=True, extra_options={"DefaultTensorType": TensorProto.FLOAT})
            s = session(small)
    json.dump(measure(s), sys.stdout)
    print()


if __name__ == "__main__":
    {"embed": embed, "time": timing}[sys.argv[1]](*sys.argv[2:])
