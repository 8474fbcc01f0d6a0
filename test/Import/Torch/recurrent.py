# Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The last states of LSTMs, which export declares with a dimension too many: what follows from them is what
the module gives.

    recurrent.py
"""

import logging
import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F

import coil

warnings.filterwarnings("ignore")
logging.disable(logging.ERROR)
torch.manual_seed(0)


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 6, 2, batch_first=True, bidirectional=True)
        self.classes, self.both, self.norm = nn.Linear(6, 5), nn.Linear(12, 1), nn.LayerNorm(6)


class classes(Layers):
    """Dimensions count from the front: over classes, not over the batch."""

    def forward(self, x):
        _, (h, c) = self.lstm(x)
        return F.log_softmax(self.classes(F.dropout(h[-1], training=False)), dim=1), h, c.mean(0), F.relu_(h[0] + c[1])


class directions(Layers):
    def forward(self, x):
        _, (h, c) = self.lstm(x)
        both = torch.cat([h[-2], h[-1]], -1)
        return torch.sigmoid(self.both(both)).squeeze(1), h.transpose(0, 1), \
            self.norm(c).amax((0, 2), keepdim=True), torch.unbind(c)[1] @ h[0].transpose(-1, -2), h.flatten(1)


class unknown(Layers):
    def forward(self, x):
        return self.lstm(x)[1][0].index_select(1, torch.tensor([0]))


for make in classes, directions, unknown:
    for dynamic in None, ({0: torch.export.Dim("batch")},):
        module = make().eval()
        try:
            with torch.no_grad():
                compiled = coil.compile(module, args=(torch.randn(3, 7, 4),), dynamic_shapes=dynamic)
                for batch in (3, 5, 1) if dynamic else (3,):
                    x = torch.randn(batch, 7, 4)
                    torch.testing.assert_close(compiled(x), module(x))
            print(make.__name__, "agrees")
        except coil.CompileError as error:
            print(make.__name__, "refused:", error)
