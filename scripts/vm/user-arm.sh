#!/bin/bash
# user-arm.sh CMD [ARG...]: runs CMD with arm and arm64 binaries handled by qemu's user mode (Debian's qemu-user), in
# namespaces of its own: user-arm.sh env GOARCH=arm go test ./...
. "$(dirname "$(readlink -f "$0")")/lib.sh"
vm_build
exec "$VMTOOL" user-arm "$@"
