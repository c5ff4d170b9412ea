#!/bin/bash
# Runs the tests of all packages in one boot of a virtual machine; test-386.sh --help says how.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
vm_build && vm_kernels
exec "$VMTOOL" test "$@"
