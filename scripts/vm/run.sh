#!/bin/bash
# Runs a command in a virtual machine; run.sh --help says how.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
vm_build && vm_kernels
exec "$VMTOOL" run "$@"
