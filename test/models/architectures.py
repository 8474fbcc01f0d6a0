# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Real architectures with random weights, by name: `make(name)` gives a module and
its inputs.

Weights are never downloaded. Where an architecture has a size of its own choosing, it
is a small one: few layers, narrow, small images. What matters is which operators
follow each other.
"""

# Names of torchvision, with what is not an image of 3x64x64.
TORCHVISION = {
    "alexnet": {"size": 96}, "convnext_tiny": {}, "deeplabv3_mobilenet_v3_large": {},
    "densenet121": {}, "efficientnet_b0": {}, "efficientnet_v2_s": {}, "fcn_resnet50": {},
    "googlenet": {"kwargs": {"init_weights": False}},
    "inception_v3": {"size": 96, "kwargs": {"init_weights": False}},
    "lraspp_mobilenet_v3_large": {}, "maxvit_t": {"size": 224}, "mc3_18": {"frames": 8},
    "mnasnet0_5": {}, "mobilenet_v2": {}, "mobilenet_v3_large": {}, "mobilenet_v3_small": {},
    "r3d_18": {"frames": 8}, "r2plus1d_18": {"frames": 8}, "regnet_x_400mf": {},
    "regnet_y_400mf": {}, "resnet18": {}, "resnet50": {}, "resnext50_32x4d": {},
    "s3d": {"frames": 16, "size": 224}, "shufflenet_v2_x0_5": {}, "squeezenet1_1": {},
    "ssdlite320_mobilenet_v3_large": {"kwargs": {"weights_backbone": None}, "list": True},
    "swin_t": {}, "swin_v2_t": {}, "swin3d_t": {"frames": 4}, "vgg11_bn": {}, "vit_b_32": {"size": 224},
    "wide_resnet50_2": {}, "mvit_v1_b": {"frames": 16, "size": 224},
}

# Names of timm, with the size of images; None for the one of the architecture.
TIMM = {
    "beit_base_patch16_224": None, "botnet26t_256": None, "cait_xxs24_224": None,
    "caformer_s18": 64, "coat_tiny": None, "coatnet_nano_rw_224": None, "convit_tiny": None,
    "convformer_s18": 64, "convmixer_768_32": 64, "convnextv2_atto": 64, "crossvit_tiny_240": None,
    "cspdarknet53": 64, "cspresnet50": 64, "darknet53": 64, "davit_tiny": 64,
    "deit3_small_patch16_224": None, "dla34": 64, "dpn68": 64, "eca_nfnet_l0": 64,
    "ecaresnet26t": 64, "edgenext_xx_small": 64, "efficientformer_l1": None,
    "efficientformerv2_s0": None, "efficientnet_b0": 64, "efficientnetv2_rw_t": 64,
    "efficientvit_b0": 64, "efficientvit_m0": None, "ese_vovnet19b_dw": 64,
    "eva02_tiny_patch14_224": None, "fastvit_t8": 64, "fasternet_t0": 64, "fbnetc_100": 64,
    "focalnet_tiny_srf": 64, "gcresnet33ts": 64, "gcvit_xxtiny": None, "gernet_s": 64,
    "ghostnet_100": 64, "ghostnetv2_100": 64, "gmixer_24_224": None, "gmlp_ti16_224": None,
    "halonet26t": 256, "hardcorenas_a": 64, "hgnetv2_b0": 64, "hrnet_w18_small": 64,
    "inception_next_tiny": 64, "inception_resnet_v2": 128, "lambda_resnet26t": 256,
    "lcnet_050": 64, "levit_128s": None, "mambaout_femto": 64, "maxvit_pico_rw_256": None,
    "mixer_s32_224": None, "mixnet_s": 64, "mobilenetv1_100": 64, "mobilenetv3_small_050": 64,
    "mobilenetv4_conv_small": 64, "mobilenetv4_hybrid_medium": 64, "mobileone_s0": 64,
    "mobilevit_xxs": 64, "mobilevitv2_050": 64, "mvitv2_tiny": None, "nest_tiny": None,
    "nextvit_small": 64, "nf_regnet_b0": 64, "nfnet_f0": 64, "pit_ti_224": None,
    "poolformer_s12": 64, "pvt_v2_b0": 64, "rdnet_tiny": 64, "regnety_002": 64,
    "regnetz_b16": 64, "repghostnet_050": 64, "repvgg_a0": 64, "repvit_m0_9": 64,
    "res2net50_26w_4s": 64, "resmlp_12_224": None, "resnest14d": 64, "resnet26t": 64,
    "resnetv2_50": 64, "rexnet_100": 64, "selecsls42": 64, "senet154": 64, "shvit_s1": 64,
    "sequencer2d_s": None, "seresnet18": 64, "skresnet18": 64, "starnet_s1": 64, "swiftformer_xs": 64,
    "swin_tiny_patch4_window7_224": None, "swinv2_cr_tiny_224": None, "tiny_vit_5m_224": None, "tinynet_e": 64,
    "tnt_s_patch16_224": None, "tresnet_m": 64, "twins_pcpvt_small": 64, "visformer_tiny": None,
    "vit_tiny_patch16_224": None, "vitamin_small_224": None, "volo_d1_224": None,
    "xception41": 64, "xcit_nano_12_p16_224": None,
}

# Narrow configurations of transformers: few layers, few heads.
_SMALL = dict(hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128,
              vocab_size=256, max_position_embeddings=64)
_GPT = dict(n_embd=64, n_layer=2, n_head=4, vocab_size=256, n_positions=64)
TRANSFORMERS = {
    "albert": ("Albert", dict(_SMALL, embedding_size=32)),
    "bart": ("Bart", dict(d_model=64, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
                          decoder_attention_heads=4, encoder_ffn_dim=128, decoder_ffn_dim=128,
                          vocab_size=256, max_position_embeddings=64)),
    "bert": ("Bert", _SMALL), "bloom": ("Bloom", dict(hidden_size=64, n_layer=2, n_head=4, vocab_size=256)),
    "camembert": ("Camembert", _SMALL), "codegen": ("CodeGen", dict(_GPT, rotary_dim=8, n_ctx=64)),
    "convbert": ("ConvBert", dict(_SMALL, embedding_size=64)), "ctrl": ("CTRL", dict(_GPT, dff=128)),
    "deberta": ("Deberta", _SMALL), "deberta_v2": ("DebertaV2", _SMALL),
    "distilbert": ("DistilBert", dict(dim=64, n_layers=2, n_heads=4, hidden_dim=128, vocab_size=256,
                                      max_position_embeddings=64)),
    "electra": ("Electra", dict(_SMALL, embedding_size=64)), "ernie": ("Ernie", _SMALL),
    "falcon": ("Falcon", dict(hidden_size=64, num_hidden_layers=2, num_attention_heads=4, vocab_size=256)),
    "fnet": ("FNet", {k: v for k, v in _SMALL.items() if k != "num_attention_heads"}),
    "funnel": ("Funnel", dict(d_model=64, n_head=4, d_head=16, d_inner=128, vocab_size=256, block_sizes=[1, 1])),
    "gemma": ("Gemma", dict(_SMALL, num_key_value_heads=2, head_dim=16)),
    "gemma2": ("Gemma2", dict(_SMALL, num_key_value_heads=2, head_dim=16)),
    "gpt2": ("GPT2", _GPT), "gpt_bigcode": ("GPTBigCode", _GPT),
    "gpt_neo": ("GPTNeo", dict(hidden_size=64, num_layers=2, num_heads=4, vocab_size=256,
                               attention_types=[[["global", "local"], 1]], max_position_embeddings=64)),
    "gpt_neox": ("GPTNeoX", _SMALL), "gptj": ("GPTJ", dict(_GPT, rotary_dim=8)),
    "granite": ("Granite", dict(_SMALL, num_key_value_heads=2)),
    "ibert": ("IBert", _SMALL), "llama": ("Llama", dict(_SMALL, num_key_value_heads=2)),
    "longformer": ("Longformer", dict(_SMALL, attention_window=16)),
    "mamba": ("Mamba", dict(hidden_size=64, num_hidden_layers=2, state_size=8, vocab_size=256)),
    "mistral": ("Mistral", dict(_SMALL, num_key_value_heads=2)),
    "mixtral": ("Mixtral", dict(_SMALL, num_key_value_heads=2, num_local_experts=4)),
    "mobilebert": ("MobileBert", dict(num_hidden_layers=2, vocab_size=256)),
    "mpnet": ("MPNet", _SMALL), "mpt": ("Mpt", dict(d_model=64, n_layers=2, n_heads=4, vocab_size=256, max_seq_len=64)),
    "nystromformer": ("Nystromformer", dict(_SMALL, segment_means_seq_len=16, num_landmarks=4)),
    "olmo": ("Olmo", _SMALL), "olmo2": ("Olmo2", _SMALL), "opt": ("OPT", dict(
        hidden_size=64, num_hidden_layers=2, num_attention_heads=4, ffn_dim=128, vocab_size=256,
        max_position_embeddings=64, word_embed_proj_dim=64)),
    "pegasus": ("Pegasus", dict(d_model=64, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
                                decoder_attention_heads=4, encoder_ffn_dim=128, decoder_ffn_dim=128,
                                vocab_size=256, max_position_embeddings=64)),
    "persimmon": ("Persimmon", _SMALL), "phi": ("Phi", _SMALL),
    "phi3": ("Phi3", dict(_SMALL, pad_token_id=0)), "qwen2": ("Qwen2", dict(_SMALL, num_key_value_heads=2)),
    "qwen2_moe": ("Qwen2Moe", dict(_SMALL, num_key_value_heads=2, num_experts=4, moe_intermediate_size=32,
                                   shared_expert_intermediate_size=32, num_experts_per_tok=2)),
    "qwen3": ("Qwen3", dict(_SMALL, num_key_value_heads=2, head_dim=16)),
    "rembert": ("RemBert", _SMALL), "roberta": ("Roberta", _SMALL), "roformer": ("RoFormer", _SMALL),
    "rwkv": ("Rwkv", dict(hidden_size=64, num_hidden_layers=2, vocab_size=256, attention_hidden_size=64)),
    "squeezebert": ("SqueezeBert", dict(_SMALL, embedding_size=64)),
    "stablelm": ("StableLm", _SMALL), "starcoder2": ("Starcoder2", dict(_SMALL, num_key_value_heads=2)),
    "t5": ("T5", dict(d_model=64, d_kv=16, d_ff=128, num_layers=2, num_heads=4, vocab_size=256)),
    "xlm_roberta": ("XLMRoberta", _SMALL), "xglm": ("XGLM", dict(
        d_model=64, num_layers=2, attention_heads=4, ffn_dim=128, vocab_size=256,
        max_position_embeddings=64)),
    "xlnet": ("XLNet", dict(d_model=64, n_layer=2, n_head=4, d_inner=128, vocab_size=256)),
    "yoso": ("Yoso", dict(_SMALL, use_expectation=True)),
    # State spaces and recurrences.
    "bamba": ("Bamba", dict(_SMALL, num_key_value_heads=2, mamba_n_heads=8, mamba_d_head=16, mamba_d_state=16,
                            mamba_chunk_size=8, attn_layer_indices=[1])),
    "falcon_mamba": ("FalconMamba", dict(hidden_size=64, num_hidden_layers=2, state_size=8, vocab_size=256)),
    "jamba": ("Jamba", dict(_SMALL, num_key_value_heads=2, num_hidden_layers=4, num_experts=4, attn_layer_period=2,
                            attn_layer_offset=1, expert_layer_period=2, expert_layer_offset=1, mamba_d_state=8,
                            use_mamba_kernels=False)),
    "mamba2": ("Mamba2", dict(hidden_size=64, num_hidden_layers=2, state_size=16, vocab_size=256, num_heads=8,
                              head_dim=16, expand=2, n_groups=2, chunk_size=8)),
    "recurrent_gemma": ("RecurrentGemma", dict(hidden_size=64, num_hidden_layers=3, num_attention_heads=4,
                                               intermediate_size=128, vocab_size=256, lru_width=64)),
    "xlstm": ("xLSTM", dict(hidden_size=64, num_hidden_layers=2, num_blocks=2, num_heads=4, vocab_size=256,
                            chunk_size=16)),
    # Mixtures of experts.
    "deepseek_v3": ("DeepseekV3", dict(
        _SMALL, num_key_value_heads=4, n_routed_experts=4, num_experts_per_tok=2, n_group=1, topk_group=1,
        moe_intermediate_size=32, q_lora_rank=16, kv_lora_rank=16, qk_rope_head_dim=8, v_head_dim=16,
        qk_nope_head_dim=16, first_k_dense_replace=1)),
    "gpt_oss": ("GptOss", dict(_SMALL, num_key_value_heads=2, head_dim=16, num_local_experts=4,
                               num_experts_per_tok=2)),
    "granitemoe": ("GraniteMoe", dict(_SMALL, num_key_value_heads=2, num_local_experts=4, num_experts_per_tok=2)),
    "olmoe": ("Olmoe", dict(_SMALL, num_key_value_heads=2, num_experts=4, num_experts_per_tok=2)),
    "qwen3_moe": ("Qwen3Moe", dict(_SMALL, num_key_value_heads=2, head_dim=16, num_experts=4, num_experts_per_tok=2,
                                   moe_intermediate_size=32)),
    "cohere": ("Cohere", dict(_SMALL, num_key_value_heads=2)),
    "diffllama": ("DiffLlama", dict(_SMALL, num_key_value_heads=2)),
    "esm": ("Esm", dict(_SMALL, pad_token_id=0, mask_token_id=1, position_embedding_type="rotary")),
    "modernbert": ("ModernBert", dict(_SMALL, pad_token_id=0, bos_token_id=1, eos_token_id=2, cls_token_id=1,
                                      sep_token_id=2)),
    "nemotron": ("Nemotron", dict(_SMALL, num_key_value_heads=2, head_dim=16)),
}

# Those of transformers that take images or sounds.
_VISION = dict(hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128,
               image_size=64, patch_size=16)
PERCEPTION = {
    "vit_hf": ("ViT", _VISION, (1, 3, 64, 64)), "deit_hf": ("DeiT", _VISION, (1, 3, 64, 64)),
    "dinov2": ("Dinov2", _VISION, (1, 3, 64, 64)), "beit_hf": ("Beit", _VISION, (1, 3, 64, 64)),
    "segformer": ("Segformer", {}, (1, 3, 64, 64)), "poolformer_hf": ("PoolFormer", {}, (1, 3, 64, 64)),
    "regnet_hf": ("RegNet", {}, (1, 3, 64, 64)), "van": ("Cvt", {}, (1, 3, 64, 64)),
    "convnext_hf": ("ConvNext", {}, (1, 3, 64, 64)), "mobilevit_hf": ("MobileViT", {}, (1, 3, 64, 64)),
    "levit_hf": ("Levit", {}, (1, 3, 224, 224)), "siglip": ("SiglipVision", _VISION, (1, 3, 64, 64)),
    "clip_vision": ("CLIPVision", _VISION, (1, 3, 64, 64)),
    "wav2vec2": ("Wav2Vec2", dict(hidden_size=64, num_hidden_layers=2, num_attention_heads=4,
                                  intermediate_size=128, num_conv_pos_embeddings=16,
                                  num_conv_pos_embedding_groups=4), (1, 4000)),
    "hubert": ("Hubert", dict(hidden_size=64, num_hidden_layers=2, num_attention_heads=4,
                              intermediate_size=128, num_conv_pos_embeddings=16,
                              num_conv_pos_embedding_groups=4), (1, 4000)),
    "whisper_encoder": ("Whisper", dict(d_model=64, encoder_layers=2, decoder_layers=2,
                                        encoder_attention_heads=4, decoder_attention_heads=4,
                                        encoder_ffn_dim=128, decoder_ffn_dim=128, vocab_size=256,
                                        max_source_positions=50, pad_token_id=0), (1, 80, 100)),
    "ast": ("AST", dict(hidden_size=64, num_hidden_layers=2, num_attention_heads=4,
                        intermediate_size=128, max_length=64, num_mel_bins=32), (1, 64, 32)),
    "patchtst": ("PatchTST", dict(num_input_channels=3, context_length=32, patch_length=8, patch_stride=4, d_model=32,
                                  num_hidden_layers=2, num_attention_heads=4, ffn_dim=64), (2, 32, 3)),
    "pvt_v2_hf": ("PvtV2", dict(depths=[1, 1, 1, 1], image_size=64), (1, 3, 64, 64)),
    "sam_vision": ("SamVision", dict(hidden_size=64, num_hidden_layers=2, num_attention_heads=4, image_size=64,
                                     mlp_dim=128, output_channels=32, window_size=2, global_attn_indexes=[1]),
                   (1, 3, 64, 64)),
    "sew": ("SEW", dict(hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128,
                        num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=4, squeeze_factor=2), (1, 4000)),
    "timesformer": ("Timesformer", dict(_VISION, num_frames=4), (1, 4, 3, 64, 64)),
    "videomae": ("VideoMAE", dict(_VISION, num_frames=4), (1, 4, 3, 64, 64)),
    "wavlm": ("WavLM", dict(hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128,
                            num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=4), (1, 4000)),
}


def get_names(seed=None, count=100):
    """All names, those of a library with its name in front; with a seed, `count` that are drawn from its registry."""
    if seed is not None:
        import drawing
        return drawing.draw(seed, count)
    names = [f"torchvision.{name}" for name in TORCHVISION]
    names += [f"timm.{name}" for name in TIMM]
    names += [f"transformers.{name}" for name in [*TRANSFORMERS, *PERCEPTION]]
    return names


def _make_torchvision(name):
    import torch
    import torchvision
    spec = TORCHVISION[name]
    kwargs = dict(spec.get("kwargs", {}))
    if "deeplab" in name or "fcn" in name or "lraspp" in name:
        kwargs["weights_backbone"] = None
    model = torchvision.models.get_model(name, weights=None, **kwargs)
    size = spec.get("size", 64)
    if "frames" in spec:
        return model, (torch.randn(1, 3, spec["frames"], size, size),)
    if "list" in spec:
        # The detector's own transformation has sizes that only a run knows: the
        # network is what is left without it.
        class Network(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.backbone, self.head = model.backbone, model.head

            def forward(self, x):
                features = list(self.backbone(x).values())
                outputs = self.head(features)
                return [outputs[key] for key in sorted(outputs)]

        return Network(), (torch.randn(1, 3, 320, 320),)
    return model, (torch.randn(1, 3, size, size),)


def _make_timm(name):
    import timm
    import torch
    model = timm.create_model(name, pretrained=False)
    size = TIMM[name] or model.default_cfg["input_size"][1]
    return model, (torch.randn(1, 3, size, size),)


def _make_transformers(name, attention=None):
    import torch
    import transformers
    spec = TRANSFORMERS.get(name) or PERCEPTION[name]
    family, changes = spec[:2]
    config = getattr(transformers, family + "Config")(**changes)
    config.use_cache = False
    if attention:
        config._attn_implementation = attention
    model = getattr(transformers, family + "Model")(config)

    class Module(torch.nn.Module):
        """Only tensors come out."""

        def __init__(self):
            super().__init__()
            self.model = model.encoder if name == "whisper_encoder" else model

        def forward(self, *inputs):
            outputs = self.model(*inputs)
            if isinstance(outputs, torch.Tensor):
                return outputs
            values = outputs.values() if hasattr(outputs, "values") else outputs
            return [v for v in values if isinstance(v, torch.Tensor)]

    if name in PERCEPTION:
        return Module(), (torch.randn(*spec[2]),)
    tokens = torch.randint(3, 200, (1, 16))
    if name in ("bart", "pegasus", "t5"):
        class EncoderDecoder(Module):
            def forward(self, source, target):
                outputs = self.model(input_ids=source, decoder_input_ids=target)
                return outputs[0]

        return EncoderDecoder(), (tokens, tokens.clone())
    return Module(), (tokens,)


def make(name, attention=None):
    """A module in evaluation mode and a tuple of inputs; `attention` is an implementation that transformers names."""
    library, _, rest = name.partition(".")
    if "@" in rest:  # One that drawing.draw has drawn.
        import drawing
        return drawing.make(name)
    if library == "transformers":
        module, inputs = _make_transformers(rest, attention)
    else:
        module, inputs = {"torchvision": _make_torchvision, "timm": _make_timm}[library](rest)
    return module.eval(), inputs
