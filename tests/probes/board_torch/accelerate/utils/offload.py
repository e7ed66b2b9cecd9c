"""Weights in files, one each."""

import os
from array import array

import torch
from torch.tensor import made


class Folder:
    """A folder of weights."""

    def __init__(self, save_folder, index):
        self.save_folder, self.index, self.state_dict = save_folder, index, {}

    def __getitem__(self, name):
        values = array("f")
        with open(os.path.join(self.save_folder, name + ".dat"), "rb") as file:
            values.frombytes(file.read())
        return made(values.tolist(), self.index[name]["shape"], torch.float32)


def offload_weight(weight, name, folder, index=None):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name + ".dat"), "wb") as file:
        array("f", weight.values()).tofile(file)
    index[name] = {"shape": weight.shape}
    return index
