import pathlib
import sys

import numpy as np
import torch

import coil

models = pathlib.Path(sys.argv[1])
images = np.load(models / "digits_images.npy")
labels = np.load(models / "digits_labels.npy")
expected = np.load(models / "digits_logits.npy")

digits = coil.compile(models / "digits_cnn.pt2")
(logits,) = digits(images)
# CHECK: digits ndarray (500, 10) True True
print("digits", type(logits).__name__, logits.shape, np.abs(logits - expected).max() < 1e-4,
      (logits.argmax(1) == expected.argmax(1)).all())
# CHECK-NEXT: dlpack True
(again,) = digits(torch.from_numpy(images))
print("dlpack", np.array_equal(again, logits))
# Every second image: strides are refused or followed, never ignored.
half = np.ascontiguousarray(images[::2])
# CHECK-NEXT: half True
print("half", np.abs(digits(half)[0] - logits[::2]).max() < 1e-5)

gpt = coil.compile(models / "char_gpt.pt2")
prompt = np.load(models / "char_gpt_prompt.npy")
# CHECK-NEXT: gpt True
(out,) = gpt(prompt)
print("gpt", np.abs(out - np.load(models / "char_gpt_logits.npy")).max() < 1e-3)
