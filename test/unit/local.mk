# Unit tests mirror src/: one folder a folder, one program a file.
include test/unit/base/local.mk
include test/unit/machine/local.mk
include test/unit/object/local.mk
include test/unit/heap/local.mk
include test/unit/type/local.mk
include test/unit/op/local.mk
include test/unit/plan/local.mk
include test/unit/comm/local.mk
include test/unit/launch/local.mk
include test/unit/algo/local.mk
include test/unit/net/local.mk
include test/unit/msg/local.mk
include test/unit/exec/local.mk
include test/unit/coll/local.mk
include test/unit/construct/local.mk
include test/unit/topo/local.mk
include test/unit/cmd/local.mk
