# baton: the front door.
#
#   1 The house     make check | demo | bench | format | check-*   scripts that do their own set-up
#   2 What is built make | install | clean                         PGXS: PG_CONFIG, CXX, DESTDIR, WERROR=1
#   3 How           language, warnings, visibility, server headers
#   4 Tests         make installcheck                              a running server that preloads baton
#   5 Rules         objects, the install script, exported names
#   6 Release       make dist
#
# In another directory: make -f /path/to/Makefile VPATH=/path/to

# 1 The house -----------------------------------------------------------------------------------

GATES := check-format check-grep check-version check-tidy
HOUSE := setup check demo bench format check-symbols check-versions $(GATES)
here := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))

ifneq (,$(filter $(HOUSE),$(MAKECMDGOALS)))

.PHONY: $(HOUSE)
.NOTPARALLEL:
setup check demo bench check-versions:
	@$(here)/scripts/$@
format:
	@$(here)/scripts/gates/format --apply
$(GATES): check-%:
	@$(here)/scripts/gates/$*
check-symbols:
	@$(MAKE) --no-print-directory -f $(firstword $(MAKEFILE_LIST)) all
	@$(here)/scripts/gates/symbols baton.so

# Goals of the other half, asked for in the same breath (make clean check).
$(sort $(filter-out $(HOUSE),$(MAKECMDGOALS))):
	@$(MAKE) --no-print-directory -f $(firstword $(MAKEFILE_LIST)) $@

else

# 2 What is built ---------------------------------------------------------------------------------

# META.json has THE version. (VERSION itself is the server's name for its own.)
BATON_VERSION := $(shell sed -n '/"version"/{s/.*: *"\([^"]*\)".*/\1/p;q;}' $(here)/META.json)
find = $(patsubst $(here)/%,%,$(sort $(wildcard $(addprefix $(here)/,$(1)))))

EXTENSION = baton
MODULE_big = baton
OBJS := $(patsubst %.cpp,%.o,$(call find,src/*.cpp src/*/*.cpp))
DATA := $(call find,sql/baton--*--*.sql)
DATA_built = sql/baton--$(BATON_VERSION).sql
DOCS := $(call find,contrib-docs/baton.md)
EXTRA_CLEAN = $(OBJS:.o=.d) baton.flags baton.exports build results output_iso tmp_check \
	regression.out regression.diffs baton-*.zip

# 3 How -------------------------------------------------------------------------------------------

PG_CONFIG ?= pg_config
PG_CXXFLAGS = -std=c++20 -fvisibility=hidden $(BATON_WARNINGS)
BATON_WARNINGS = -Wall -Wextra -Wshadow -Wnon-virtual-dtor $(if $(WERROR),-Werror)
SHLIB_LINK = -lstdc++ -Wl,--version-script=baton.exports
# The server's bitcode rule does not know our language level; without bitcode nothing is lost but inlining in JIT.
override with_llvm := no

# 4 Tests: installcheck needs a server with shared_preload_libraries = 'baton' ----------------------

REGRESS := $(patsubst test/sql/%.sql,%,$(call find,test/sql/*.sql))
REGRESS_OPTS = --inputdir=$(here)/test --load-extension=baton
ISOLATION := $(patsubst test/isolation/specs/%.spec,%,$(call find,test/isolation/specs/*.spec))
ISOLATION_OPTS = --inputdir=$(here)/test/isolation --load-extension=baton

PGXS := $(shell $(PG_CONFIG) --pgxs)
ifeq (,$(PGXS))
$(error no $(PG_CONFIG): install the server's development package, or give PG_CONFIG=/path/to/pg_config)
endif
include $(PGXS)

ifeq (,$(filter-out 12 13 14,$(MAJORVERSION)))
$(error baton needs PostgreSQL 15 or later, $(PG_CONFIG) is of $(MAJORVERSION))
endif
ifneq (15,$(MAJORVERSION)) # until 15 answers are found by --inputdir or the current directory
REGRESS_OPTS += --expecteddir=$(here)
ISOLATION_OPTS += --expecteddir=$(here)/test/isolation
else
# since 16 this is the server's own definition
override CPPFLAGS += -DPGDLLEXPORT='__attribute__((visibility("default")))'
ifneq (.,$(here))
REGRESS_PREP = $(CURDIR)/expected
$(CURDIR)/expected:
	ln -sfn $(abspath $(here))/expected $@
EXTRA_CLEAN += expected
endif
endif

# Server headers are not ours to warn about, and ours are found from src/ alone.
override CPPFLAGS := -I$(here)/src -DBATON_VERSION='"$(BATON_VERSION)"' \
	$(subst -I$(includedir_server),-isystem $(includedir_server), \
	$(subst -I$(includedir_internal),-isystem $(includedir_internal), \
	$(filter-out -I. -I$(srcdir),$(CPPFLAGS))))
# The C compiler links, and the C++ compiler may be another make: no link-time optimisation between them.
override CXXFLAGS := $(filter-out -flto% -ffat-lto-objects,$(CXXFLAGS))
ifneq (,$(findstring clang,$(CXX)))
# The server may have been built by gcc and hands on its flags.
override CXXFLAGS += -Wno-ignored-optimization-argument -Wno-unknown-warning-option \
	-Wno-unused-command-line-argument -Wno-missing-designated-field-initializers
endif

# 5 Rules -------------------------------------------------------------------------------------------

# Elsewhere, products that lie in the source tree are not ours to use: all rules name their sources in full.
srcdir := $(here)
override VPATH :=
vpath %.control $(here)

# One rule for every folder, in place or elsewhere; other flags, another compiler or server: all anew.
$(OBJS): %.o: $(here)/%.cpp baton.flags
	@mkdir -p $(@D)
	$(COMPILE.cc) -MMD -MP -MF $*.d -o $@ $<
-include $(OBJS:.o=.d)

baton.flags: FORCE
	@$(file >$@.new,$(COMPILE.cc))cmp -s $@.new $@ && rm $@.new || mv $@.new $@
FORCE:
.PHONY: FORCE print-tidy-flags

# What else the server, the loader and psql may see of us; the library's own templates stay inside.
baton.so: baton.exports
baton.exports: $(here)/Makefile
	printf '{ global: _PG_init; Pg_magic_func; baton_*; pg_finfo_baton_*; local: *; };\n' >$@

SQL_MODULES = $(addprefix $(here)/,$(call find,sql/modules/*.sql))
sql/baton--$(BATON_VERSION).sql: $(SQL_MODULES) $(here)/META.json
	@mkdir -p $(@D)
	{ printf '%s\n' '\echo Use "CREATE EXTENSION baton" to load this file. \quit'; \
		cat /dev/null $(SQL_MODULES); } >$@

print-tidy-flags:
	@echo '$(subst ','\'',$(filter -std=% -f% $(BATON_WARNINGS),$(PG_CXXFLAGS)) $(CPPFLAGS))'

# 6 Release -----------------------------------------------------------------------------------------

DIST = baton-$(BATON_VERSION)
dist: sql/baton--$(BATON_VERSION).sql
	$(here)/scripts/gates/version
	git -C $(here) archive --format=zip --prefix=$(DIST)/sql/ --add-file=$(abspath $<) \
		--prefix=$(DIST)/ --output=$(CURDIR)/$(DIST).zip HEAD

endif
