# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Architectures that nobody listed: names drawn by seed from the registries of timm, torchvision and transformers.

A drawn name says all of it: `timm.NAME@SEED`, `torchvision.NAME@SEED`, `transformers.CLASS@SEED`. The seed decides
what the library leaves open: depth, heads and groups of heads, widths, activations, attention, masks of padding.
`draw(seed, count)` gives names; `make(name)` gives a module and its inputs, or raises `CannotMake` with the reason,
for architectures above the limits below and for those whose inputs are not known.
"""
import random
import re
import zlib

LARGEST_PARAMETERS = 12_000_000
LARGEST_IMAGE = 256
LIBRARIES = {"transformers": 12, "timm": 10, "torchvision": 3}
ACTIVATIONS = ("gelu", "relu", "silu", "gelu_new", "gelu_pytorch_tanh", "quick_gelu", "mish", "relu2")


class CannotMake(Exception):
    """There is no such architecture within the limits."""


def _get_classes():
    """Names of models of transformers that have a configuration: the bare ones and those with common heads."""
    from transformers.models.auto import modeling_auto
    heads = ("MODEL_MAPPING_NAMES", "MODEL_MAPPING_NAMES", "MODEL_FOR_CAUSAL_LM_MAPPING_NAMES",
             "MODEL_FOR_MASKED_LM_MAPPING_NAMES", "MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING_NAMES",
             "MODEL_FOR_TOKEN_CLASSIFICATION_MAPPING_NAMES", "MODEL_FOR_IMAGE_CLASSIFICATION_MAPPING_NAMES",
             "MODEL_FOR_DEPTH_ESTIMATION_MAPPING_NAMES", "MODEL_FOR_SEMANTIC_SEGMENTATION_MAPPING_NAMES",
             "MODEL_FOR_AUDIO_CLASSIFICATION_MAPPING_NAMES", "MODEL_FOR_OBJECT_DETECTION_MAPPING_NAMES")
    names = set()
    for head in heads:
        for value in getattr(modeling_auto, head).values():
            names.update([value] if isinstance(value, str) else value)
    return sorted(names)


def draw(seed, count):
    """Names of `count` different architectures."""
    import timm
    import torchvision
    generator = random.Random(seed)
    registries = {"transformers": _get_classes(), "timm": sorted(timm.list_models()),
                  "torchvision": sorted(torchvision.models.list_models())}
    names = {}  # In the order in which they were drawn.
    count = min(count, sum(map(len, registries.values())))
    while len(names) < count:
        library = generator.choices(list(LIBRARIES), LIBRARIES.values())[0]
        names.setdefault(f"{library}.{generator.choice(registries[library])}", generator.randint(1, 999))
    return [f"{name}@{number}" for name, number in names.items()]


def make(name):
    """A module and a tuple of inputs."""
    rest, _, seed = name.partition("@")
    library, _, rest = rest.partition(".")
    generator = random.Random(zlib.crc32(f"{rest}@{seed}".encode()))
    makers = {"transformers": _make_transformers, "timm": _make_timm, "torchvision": _make_torchvision}
    return makers[library](rest, generator)


def _check_size(create):
    """Raises where what `create` makes has too many parameters; those of the meta device take no memory."""
    import torch
    try:
        with torch.device("meta"):
            count = sum(p.numel() for p in create().parameters())
    except (NotImplementedError, RuntimeError):  # It computes with its weights.
        return
    if count > LARGEST_PARAMETERS:
        raise CannotMake(f"it has {count} parameters")


def _first(calls, kinds=(Exception,)):
    """The result of the first call that raises none of these, and the last error where all do."""
    error = None
    for call in calls:
        try:
            return call(), None
        except CannotMake:
            raise
        except kinds as raised:  # pylint: disable=broad-except
            error = raised
    return None, error


def _runs(module, inputs):
    import torch
    with torch.no_grad():
        module.eval()(*inputs)
    return module, inputs


def _make_timm(name, generator):
    import timm
    import torch
    config = timm.get_pretrained_cfg(name, allow_unregistered=True) or timm.models.get_pretrained_cfg(name)
    size = config.input_size[1] if config else 224
    depth = {"depth": generator.choice([1, 2, 3])}
    # Smaller images, where the architecture takes them, and fewer layers, where it has a number of layers.
    sizes = [64, 96, 128] if not (config and config.fixed_input_size) else []
    if size <= LARGEST_IMAGE:
        sizes.append(size)
    attempts = []
    for keywords in depth, {}:
        for side in sizes:
            attempts.append((keywords, side))
        patch = 14 if "patch14" in name else 16
        attempts.append(({**keywords, "img_size": 4 * patch}, 4 * patch))

    def attempt(keywords, side):
        def create():
            return timm.create_model(name, pretrained=False, **keywords)
        _check_size(create)
        return _runs(create(), (torch.randn(1, 3, side, side),))

    made, error = _first([lambda a=a: attempt(*a) for a in attempts])
    if error:
        raise CannotMake(f"{type(error).__name__}: {error}"[:200])
    return made


def _make_torchvision(name, generator):
    import torch
    import torchvision
    registry = torchvision.models
    quantized = name.startswith("quantized_")
    keywords = {"weights": None}
    if re.search(r"deeplab|fcn|lraspp|rcnn|retina|fcos|ssd", name):
        keywords["weights_backbone"] = None
    if re.search(r"googlenet|inception", name):
        keywords["init_weights"] = False

    def create():
        return registry.get_model(name, **keywords)

    _check_size(create)
    model = create()
    is_detector = re.search(r"rcnn|retina|fcos|ssd", name) and not quantized

    class Detector(torch.nn.Module):
        """A batch of images instead of a list."""

        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, images):
            return [value for result in self.model(list(images)) for value in result.values()]

    if is_detector:
        return Detector().eval(), (torch.rand(1, 3, 96, 96),)
    if name.startswith("raft"):
        return model.eval(), (torch.rand(1, 3, 128, 128) * 2 - 1, torch.rand(1, 3, 128, 128) * 2 - 1)
    frames = generator.choice([4, 8])
    shapes = [(1, 3, 64, 64), (1, 3, 96, 96), (1, 3, 224, 224), (1, 3, frames, 64, 64), (1, 3, 16, 224, 224)]
    made, error = _first([lambda s=s: _runs(model, (torch.randn(s),)) for s in shapes])
    if error:
        raise CannotMake(f"{type(error).__name__}: {error}"[:200])
    return made


class _Sizes:
    """What one architecture draws once for all its parts."""

    def __init__(self, generator):
        draw_one = generator.choice
        self.heads = draw_one([2, 4])
        self.groups = draw_one([g for g in (1, 2, 4) if g <= self.heads])
        self.head_size = draw_one([8, 16, 24])
        self.hidden = self.heads * self.head_size
        self.inner = draw_one([48, 64, 96, 128])
        self.layers = draw_one([1, 2, 3, 4])
        self.vocabulary = draw_one([100, 131, 200, 256])
        self.activation = draw_one(ACTIVATIONS)
        self.experts = draw_one([2, 4])
        self.attention = draw_one(["sdpa", "sdpa", "eager"])
        self.padding = generator.random() < 0.3
        self.length = draw_one([9, 16])

    def get_rules(self):
        """Regular expressions of fields of configurations with what they become; the first that matches decides."""
        return [
            (r"(.*_)?vocab_size(_.*)?", self.vocabulary), (r"type_vocab_size", 2),
            (r"num_key_value_heads|num_kv_heads", self.groups),
            (r"num_attention_heads|n_heads?|num_heads|(en|de)coder_attention_heads|attention_heads|num_decoder_heads",
             self.heads),
            (r"hidden_size|d_model|n_embd|dim|embed_dim|hidden_dim|embedding_size|out_hidden_size|projection_dim|"
             r"word_embed_proj_dim|encoder_hidden_dim|decoder_hidden_size|attention_hidden_size|lru_width", self.hidden),
            (r"head_dim|d_kv|d_head|attention_head_dim|v_head_dim|qk_nope_head_dim", self.head_size),
            (r"qk_rope_head_dim|rotary_dim", 8), (r"[qk]v?_lora_rank", 16),
            (r".*intermediate_size|ffn_dim|.*_ffn_dim|d_ff|d_inner|hidden_dim_ffn|n_inner|mlp_dim|ffn_hidden_size",
             self.inner),
            (r"num_hidden_layers|n_layers?|num_layers|(en|de)coder_layers|num_(en|de)coder_layers|depth|"
             r"decoder_num_hidden_layers|num_blocks|encoder_num_layers", self.layers),
            (r"depths", [1, 2]), (r".*max_position_embeddings|n_positions|n_ctx|max_source_positions|max_seq_len", 64),
            (r"(num_local_experts|num_experts|n_routed_experts)", self.experts),
            (r"num_experts_per_tok|moe_topk|top_k", 1 if self.experts == 2 else 2), (r"n_group|topk_group", 1),
            (r"hidden_act|activation_function|hidden_activation|activation", self.activation),
            (r"image_size", 64), (r"num_conv_pos_embeddings", 16), (r"num_conv_pos_embedding_groups", 2),
            (r"chunk_size|mamba_chunk_size", 8), (r"state_size|mamba_d_state|ssm_state_size", 8),
            (r"sliding_window", 8), (r"first_k_dense_replace", 1),
        ]


def _shrink(config_class, sizes, skipped=()):
    """Keywords of a configuration with narrow parts."""
    import dataclasses
    from transformers import PretrainedConfig
    defaults = config_class()
    inherited = {field.name for field in dataclasses.fields(PretrainedConfig)}
    keywords, tokens = {}, 0
    for field in dataclasses.fields(config_class):
        name = field.name
        value = getattr(defaults, name, None)
        if name in inherited or name.startswith("_"):
            continue
        if isinstance(value, PretrainedConfig):
            keywords[name] = type(value)(**_shrink(type(value), sizes, skipped))
            continue
        if re.search(r"_token_(id|index)$|_token_index$", name):
            if isinstance(value, int) and not isinstance(value, bool) and value >= sizes.vocabulary - 8:
                keywords[name] = sizes.vocabulary - 1 - tokens
                tokens += 1
            continue
        for pattern, new in sizes.get_rules():
            if pattern in skipped or not re.fullmatch(pattern, name) or value is None:
                continue
            if isinstance(new, list):
                if isinstance(value, (list, tuple)):
                    keywords[name] = [min(v, new[i % len(new)]) for i, v in enumerate(value)]
            elif isinstance(value, str) == isinstance(new, str) and isinstance(value, (int, str)):
                keywords[name] = new
            break
    return keywords


def _find_inputs(model, sizes):
    """Tuples of the names and values of arguments that the forward may take."""
    import inspect
    import torch
    config = model.config
    names = inspect.signature(model.forward).parameters

    def get(field, otherwise):
        value = getattr(config, field, None)
        if not isinstance(value, (int, list, tuple)):
            value = getattr(getattr(config, "vision_config", None), field, None)
        if isinstance(value, (list, tuple)) and value:
            value = value[0]
        return value if isinstance(value, int) else otherwise

    found = []
    if "input_ids" in names:
        given = {"input_ids": torch.randint(3, sizes.vocabulary - 10, (1, sizes.length))}
        if sizes.padding and "attention_mask" in names:
            given["attention_mask"] = (torch.arange(sizes.length) < sizes.length - 3).long()[None]
        if "decoder_input_ids" in names:
            given["decoder_input_ids"] = torch.randint(3, sizes.vocabulary - 10, (1, 7))
        found.append(given)
    side, channels, mels = get("image_size", 64), get("num_channels", 3), get("num_mel_bins", 80)
    if "pixel_values" in names and side <= LARGEST_IMAGE:
        text = dict(found[0]) if found else {}
        frames = get("num_frames", 4)
        for shape in (1, channels, side, side), (1, frames, channels, side, side), (1, channels, 224, 224):
            found.append({"pixel_values": torch.randn(shape)})
            found.append({**text, "pixel_values": torch.randn(shape)})
    if "input_values" in names:
        found += [{"input_values": torch.randn(shape)} for shape in ((1, 4000), (1, get("max_length", 64), mels))]
        found.append({"input_values": torch.randn(1, 1, 4000)})
    if "input_features" in names:
        length = 2 * get("max_source_positions", 50)
        found += [{"input_features": torch.randn(shape)} for shape in ((1, mels, length), (1, length, mels))]
    if "past_values" in names:
        found.append({"past_values": torch.randn(1, get("context_length", 32), get("num_input_channels", 1))})
    return found


def _make_transformers(name, generator):
    import torch
    import transformers
    model_class = getattr(transformers, name)
    config_class = model_class.config_class
    sizes = _Sizes(generator)
    head_rules = tuple(pattern for pattern, _ in sizes.get_rules() if "head_dim" in pattern or "rotary" in pattern)
    all_rules = tuple(pattern for pattern, new in sizes.get_rules() if isinstance(new, (int, str)))
    few = tuple(p for p in all_rules if not re.search("layers|vocab|position", p))

    class Module(torch.nn.Module):
        """Positional arguments, and results that are tensors."""

        def __init__(self, model, names):
            super().__init__()
            self.model, self.names = model, names

        def forward(self, *inputs):
            outputs = self.model(**dict(zip(self.names, inputs)))
            values = outputs.values() if hasattr(outputs, "values") else \
                [outputs] if isinstance(outputs, torch.Tensor) else outputs
            return [v for v in values if isinstance(v, torch.Tensor)]

    def attempt(skipped, attention):
        config = config_class(**_shrink(config_class, sizes, skipped))
        for part in [config, *vars(config).values()]:
            if isinstance(part, transformers.PretrainedConfig) and hasattr(part, "use_cache"):
                part.use_cache = False
        if attention:
            config._attn_implementation = attention
        _check_size(lambda: model_class(config))
        model = model_class(config)
        made, error = _first([lambda g=given: _runs(Module(model, list(g)), tuple(g.values()))
                              for given in _find_inputs(model, sizes)])
        if made is None:
            raise error or CannotMake("no inputs are known for its arguments")
        return made

    made, error = _first([lambda s=skipped, a=attention: attempt(s, a)
                          for skipped in ((), head_rules, few) for attention in (sizes.attention, None)])
    if error:
        raise CannotMake(f"{type(error).__name__}: {error}"[:200].splitlines()[0])
    return made
