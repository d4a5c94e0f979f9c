# Cairn's build. GNU make; plain `make` in a fresh clone bootstraps configure.
#
#   make deps                install the Debian packages (as root)
#   make                     build/cairnd cairn-cli cairn-util cairn-bench and
#                            the codec as a library, libcairn-wire.a and .so
#   make check               all tests; check-unit, check-functional,
#                            check-asan, check-tsan are parts and variants
#   make fuzz, fuzz-smoke    fuzz targets into build/fuzz (clang); a short run
#   make lint, make bench, make demo, make install DESTDIR=, make dist
#
# Variables: BUILD=build/asan SAN=address,undefined gives a second build beside
# the first; CFLAGS and LDFLAGS stay the user's; V=1 prints the commands.

BUILD ?= build
.DEFAULT_GOAL := all

# Debian packages; doc/build.md gives the reason for each.
DEPS = gcc libc6-dev make autoconf pkg-config libuv1-dev libsecp256k1-dev \
	libssl-dev libleveldb-dev libyajl-dev libprotobuf-c-dev \
	protobuf-c-compiler check python3
LLHTTP_DEPS = libllhttp-dev node-llhttp

NO_CONFIG = deps clean distclean
ifneq ($(filter-out $(NO_CONFIG),$(or $(MAKECMDGOALS),all)),)
include config.mk
endif

configure: configure.ac
	autoconf -o $@ $<
# Asked for anew it keeps what configure was given before.
config.mk: configure share/config.mk.in
	if test -x config.status && test -z "$(CONFIGURE_FLAGS)"; then \
		./config.status --recheck && ./config.status; \
	else \
		./configure $(CONFIGURE_FLAGS); \
	fi

Q = $(if $(V),,@)
say = $(if $(V),@:,@echo "  $(1)	$(2)")

# Layers, left to right: a folder links only with what stands before it.
FOLDERS = base params crypto wire script consensus mempool address filter \
	store chain net sync rpc node

CAIRN_CFLAGS = -std=c11 -D_GNU_SOURCE -Iinclude -DCAIRN_VERSION='"$(VERSION)"' \
	$(WARN) $(HARDEN) -fPIE -pthread -ffile-prefix-map=$(CURDIR)/=
CAIRN_LDFLAGS = $(HARDEN_LD) -pie -pthread
ifdef SAN
CAIRN_CFLAGS += -fsanitize=$(SAN) -fno-sanitize-recover=all \
	-fno-omit-frame-pointer -DCAIRN_DEBUG
CAIRN_LDFLAGS += -fsanitize=$(SAN)
else ifeq ($(filter -O0,$(CFLAGS)),)
CAIRN_CFLAGS += -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
endif
DEP_CFLAGS = $(UV_CFLAGS) $(SECP_CFLAGS) $(CRYPTO_CFLAGS) $(YAJL_CFLAGS) \
	$(PROTOBUF_C_CFLAGS) \
	$(addprefix -isystem ,$(patsubst -I%,%,$(LLHTTP_CFLAGS)))

COMPILE = $(CC) $(CPPFLAGS) $(CAIRN_CFLAGS) $(DEP_CFLAGS) $(CFLAGS) -MMD -MP

# Libraries that each layer adds. base calls protobuf-c in delimited_pb.c only,
# so programs that send no such message need not link with it.
LIBS_base = $(PROTOBUF_C_LIBS)
LIBS_crypto = $(SECP_LIBS) $(CRYPTO_LIBS)
LIBS_mempool = -lm
LIBS_store = $(LEVELDB_LIBS)
LIBS_net = $(UV_LIBS)
LIBS_rpc = $(UV_LIBS) $(YAJL_LIBS) $(LLHTTP_LIBS)

# What a folder may link with: itself and the layers below it (the graph of
# doc/architecture.md); net and chain never meet, rpc knows no Bitcoin.
BELOW_base =
BELOW_params = base
BELOW_crypto = params base
BELOW_wire = crypto params base
BELOW_script = wire crypto params base
BELOW_consensus = script wire crypto params base
BELOW_mempool = consensus script wire crypto params base
BELOW_address = script wire crypto params base
BELOW_filter = wire crypto params base
BELOW_store = wire crypto params base
BELOW_chain = mempool store filter consensus script wire crypto params base
BELOW_net = wire crypto params base
BELOW_sync = net chain mempool store filter consensus script wire crypto \
	params base
BELOW_rpc = base
BELOW_node = rpc sync net chain mempool store filter address consensus script \
	wire crypto params base

lib = $(BUILD)/lib/libcairn-$(1).a
folder_objs = $(patsubst src/%.c,$(BUILD)/obj/%.o,$(wildcard src/$(1)/*.c))
link_libs = $(foreach f,$(1),$(call lib,$(f)))
sys_libs = $(foreach f,$(1),$(LIBS_$(f)))

# llhttp from C sources where the distribution has no library.
ifneq ($(LLHTTP_SRC),)
LLHTTP_OBJS = $(patsubst %,$(BUILD)/obj/llhttp/%.o,llhttp api http)
$(BUILD)/obj/llhttp/%.o: $(LLHTTP_SRC)/%.c
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LLHTTP_CFLAGS) $(HARDEN) -fPIE $(CFLAGS) -w -c -o $@ $<
endif

define folder_rules
$$(call lib,$(1)): $$(call folder_objs,$(1)) $(if $(filter rpc,$(1)),$$(LLHTTP_OBJS))
	$$(call say,AR,$$@)
	@mkdir -p $$(@D)
	@rm -f $$@
	$$(Q)$$(AR) rcs $$@ $$^
endef
$(foreach f,$(FOLDERS),$(eval $(call folder_rules,$(f))))

$(BUILD)/obj/%.o: src/%.c config.mk
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) $(CFLAGS_$(*F)) -c -o $@ $<

PROGRAMS = $(BUILD)/cairnd $(BUILD)/cairn-cli $(BUILD)/cairn-util \
	$(BUILD)/cairn-bench
WIRE_SO = libcairn-wire.so.$(VERSION)
WIRE_LIBS = $(BUILD)/libcairn-wire.a $(BUILD)/$(WIRE_SO)
all: $(PROGRAMS) $(WIRE_LIBS)

LINK = $(CC) $(CAIRN_LDFLAGS) $(CFLAGS) $(LDFLAGS)

$(BUILD)/cairnd: $(BUILD)/obj/cairnd.o $(call link_libs,node $(BELOW_node))
	$(call say,LD,$@)
	$(Q)$(LINK) -o $@ $^ $(call sys_libs,rpc net store mempool crypto)

$(BUILD)/cairn-cli: $(BUILD)/obj/cairn-cli.o $(call link_libs,rpc params base)
	$(call say,LD,$@)
	$(Q)$(LINK) -o $@ $^ $(call sys_libs,rpc)

UTIL_LAYERS = filter address consensus script wire crypto params base
UTIL_OBJS = $(patsubst src/%.c,$(BUILD)/obj/%.o,$(wildcard src/cairn-util*.c))
$(BUILD)/cairn-util: $(UTIL_OBJS) $(call link_libs,rpc $(UTIL_LAYERS))
	$(call say,LD,$@)
	$(Q)$(LINK) -o $@ $^ $(call sys_libs,rpc crypto)

# The codec as a library of its own: wire and what it needs of crypto and base.
# Only the functions of its public headers can be seen in it.
WIRE_LIB_SRC = $(wildcard src/wire/*.c src/crypto/sha256*.c) \
	$(patsubst %,src/crypto/%.c,hash160 hmac openssl_low siphash) \
	$(patsubst %,src/base/%.c,clock delimited err log mem must small_bytes \
	text)
WIRE_LIB_BASE = $(patsubst %,include/cairn/base/%.h,attr bytes delimited \
	endian err pb rd small_bytes text)
WIRE_LIB_CRYPTO = $(patsubst %,include/cairn/crypto/%.h,sha256 siphash)
WIRE_LIB_OBJS = $(WIRE_LIB_SRC:src/%.c=$(BUILD)/obj/pic/%.o)
WIRE_SYMBOLS = share/cairn-wire.symbols
WIRE_SONAME = libcairn-wire.so.0
OBJCOPY ?= objcopy
$(BUILD)/obj/pic/%.o: src/%.c config.mk
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -fPIC $(CFLAGS_$(*F)) -c -o $@ $<
$(BUILD)/libcairn-wire.a: $(WIRE_LIB_OBJS) $(WIRE_SYMBOLS)
	$(call say,AR,$@)
	@rm -f $@
	$(Q)$(CC) -r -nostdlib -o $(BUILD)/obj/pic/cairn-wire.o $(WIRE_LIB_OBJS)
	$(Q)$(OBJCOPY) --keep-global-symbols=$(WIRE_SYMBOLS) \
		$(BUILD)/obj/pic/cairn-wire.o
	$(Q)$(AR) rcs $@ $(BUILD)/obj/pic/cairn-wire.o
$(BUILD)/obj/pic/wire.map: $(WIRE_SYMBOLS)
	@mkdir -p $(@D)
	$(Q){ echo 'CAIRN_WIRE_0 { global:'; sed 's/$$/;/' $<; \
		echo 'local: *; };'; } >$@
$(BUILD)/$(WIRE_SO): $(WIRE_LIB_OBJS) $(BUILD)/obj/pic/wire.map
	$(call say,LD,$@)
	$(Q)$(CC) -shared $(filter-out -pie,$(CAIRN_LDFLAGS)) $(CFLAGS) \
		$(LDFLAGS) -Wl,-soname,$(WIRE_SONAME),-Bsymbolic-functions \
		-Wl,--version-script=$(BUILD)/obj/pic/wire.map \
		-o $@ $(WIRE_LIB_OBJS) $(CRYPTO_LIBS)

# Messages of protobuf-c, made from tests/proto for tests and benchmarks.
GEN = $(BUILD)/gen
PROTO_OBJS = $(patsubst tests/proto/%.proto,$(BUILD)/obj/gen/%.pb-c.o,\
	$(wildcard tests/proto/*.proto))
PROTO_CFLAGS = -Itests -isystem $(GEN)
$(GEN)/%.pb-c.c $(GEN)/%.pb-c.h: tests/proto/%.proto config.mk
	$(call say,PROTO,$<)
	@mkdir -p $(@D)
	$(Q)$(PROTOC_C) --proto_path=tests/proto --c_out=$(GEN) $<
$(PROTO_OBJS): $(BUILD)/obj/gen/%.o: $(GEN)/%.c
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) $(PROTO_CFLAGS) -w -c -o $@ $<
NEED_PROTO = bench/bench_delimited unit/base/test_delimited fuzz/fuzz_delimited
$(patsubst %,$(BUILD)/obj/%.o,$(NEED_PROTO)): $(GEN)/vote.pb-c.h

# Benchmarks: their own allocator counts are interposed by a linker wrap.
BENCH_OBJS = $(patsubst tests/bench/%.c,$(BUILD)/obj/bench/%.o,$(wildcard tests/bench/*.c))
BENCH_LAYERS = chain mempool net store filter consensus script wire crypto params base
$(BUILD)/obj/bench/%.o: tests/bench/%.c config.mk
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) $(PROTO_CFLAGS) -c -o $@ $<
$(BUILD)/cairn-bench: $(BENCH_OBJS) $(PROTO_OBJS) $(call link_libs,$(BENCH_LAYERS))
	$(call say,LD,$@)
	$(Q)$(LINK) -o $@ $^ $(call sys_libs,net store mempool crypto base) \
		-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc

bench: $(BUILD)/cairn-bench
	$(BUILD)/cairn-bench

# Unit tests: one binary per folder, linked with that folder's layers only.
TEST_FOLDERS = $(filter $(patsubst tests/unit/%/main.c,%,\
	$(wildcard tests/unit/*/main.c)),$(FOLDERS))
define test_rules
$$(BUILD)/tests/$(1): $$(patsubst tests/unit/%.c,$$(BUILD)/obj/unit/%.o,\
		$$(wildcard tests/unit/*.c tests/unit/$(1)/*.c)) \
		$(if $(filter base,$(1)),$$(PROTO_OBJS)) $$(call link_libs,$(1) $$(BELOW_$(1)))
	$$(call say,LD,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(LINK) -o $$@ $$^ $$(call sys_libs,$(1) $$(BELOW_$(1))) $$(CHECK_LIBS)
endef
$(foreach f,$(FOLDERS),$(eval $(call test_rules,$(f))))

$(BUILD)/obj/unit/%.o: tests/unit/%.c config.mk
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) $(CHECK_CFLAGS) $(PROTO_CFLAGS) -Itests/unit \
		-Wno-null-dereference -c -o $@ $<

UNIT_TESTS = $(addprefix $(BUILD)/tests/,$(TEST_FOLDERS))
unit-tests: $(UNIT_TESTS)

check: all unit-tests
	$(Q)python3 tests/run.py --build $(BUILD) --unit --functional
check-unit: unit-tests
	$(Q)python3 tests/run.py --build $(BUILD) --unit
check-functional: all
	$(Q)python3 tests/run.py --build $(BUILD) --functional
# CAIRN_SLOW multiplies what tests allow for time; the sanitizers' options are
# in tests/run.py.
check-asan:
	$(Q)$(MAKE) BUILD=build/asan SAN=address,undefined CK_FORK=no \
		CAIRN_SLOW=4 check
check-tsan:
	$(Q)$(MAKE) BUILD=build/tsan SAN=thread CK_FORK=no CAIRN_SLOW=8 check

# Fuzz targets: clang's libFuzzer with AddressSanitizer and UBSan, in a build of
# their own. Without clang nothing is built and fuzz-smoke skips them all.
FUZZ_CC ?= $(firstword $(shell command -v clang-14 || command -v clang))
FUZZ_LAYERS = net rpc address mempool consensus script wire crypto params base
FUZZ_TARGETS = $(patsubst tests/fuzz/%.c,$(BUILD)/%,$(wildcard tests/fuzz/fuzz_*.c))
fuzz:
	$(Q)if test -n "$(FUZZ_CC)"; then \
		$(MAKE) BUILD=$(BUILD)/fuzz CC=$(FUZZ_CC) \
			SAN=fuzzer-no-link,address,undefined fuzz-targets; \
	else \
		echo "clang is not installed: no fuzz targets" >&2; \
	fi
fuzz-targets: $(FUZZ_TARGETS)
fuzz-smoke: fuzz
	$(Q)python3 tests/fuzz/smoke.py --build $(BUILD)/fuzz
$(BUILD)/obj/fuzz/%.o: tests/fuzz/%.c config.mk
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) $(PROTO_CFLAGS) -Isrc -c -o $@ $<
$(BUILD)/fuzz_delimited: $(PROTO_OBJS)
$(BUILD)/fuzz_prevouts: $(BUILD)/obj/cairn-util-prevouts.o
$(BUILD)/fuzz_request: $(BUILD)/obj/cairn-util-request.o
$(FUZZ_TARGETS): $(BUILD)/fuzz_%: $(BUILD)/obj/fuzz/fuzz_%.o $(call link_libs,$(FUZZ_LAYERS))
	$(call say,LD,$@)
	$(Q)$(LINK) -fsanitize=fuzzer -o $@ $(filter %.o,$^) $(filter %.a,$^) \
		$(call sys_libs,net rpc mempool crypto base)

# Analysis that a commit need not pass but a reader wants to see.
lint:
	$(Q)BUILD=$(BUILD) sh contrib/lint/run.sh
analyze:
	clang-tidy --quiet -checks='-*,bugprone-*,-bugprone-easily-swappable-parameters,cert-*' \
		$(wildcard src/*/*.c) -- -std=c11 -D_GNU_SOURCE -Iinclude $(DEP_CFLAGS)
	cppcheck --quiet --enable=warning,portability --std=c11 -Iinclude src

# The main job end to end, shown.
demo: all
	$(Q)python3 contrib/demo.py --build $(BUILD)

# Files are installed below DESTDIR. A cairn.conf that is there is left alone.
BINDIR ?= $(PREFIX)/bin
MANDIR ?= $(PREFIX)/share/man
DATADIR ?= $(PREFIX)/share
DOCDIR ?= $(DATADIR)/doc/cairn
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
PKGCONFIGDIR ?= $(LIBDIR)/pkgconfig
COMPDIR ?= $(DATADIR)/bash-completion/completions
SYSUSERSDIR ?= $(PREFIX)/lib/sysusers.d
CONFDIR = $(SYSCONFDIR)/cairn
INSTALL = install
INSTALL_DIRS = $(BINDIR) $(MANDIR)/man1 $(MANDIR)/man5 $(MANDIR)/man8 $(UNITDIR) \
	$(SYSUSERSDIR) $(SYSCONFDIR)/logrotate.d $(CONFDIR) $(DOCDIR)/doc \
	$(COMPDIR)
INSTALLED = $(addprefix $(BINDIR)/,cairnd cairn-cli cairn-util) \
	$(addprefix $(MANDIR)/man1/,cairn-cli.1 cairn-util.1) \
	$(MANDIR)/man5/cairn.conf.5 \
	$(MANDIR)/man8/cairnd.8 $(UNITDIR)/cairnd.service \
	$(SYSUSERSDIR)/cairn.conf $(SYSCONFDIR)/logrotate.d/cairnd \
	$(addprefix $(COMPDIR)/,cairn-cli cairn-util) $(PKGCONFIGDIR)/cairn-wire.pc \
	$(addprefix $(LIBDIR)/,libcairn-wire.a libcairn-wire.so $(WIRE_SO) \
	$(WIRE_SONAME))
install: all install-wire
	$(INSTALL) -d $(addprefix $(DESTDIR),$(INSTALL_DIRS))
	$(INSTALL) -m 755 $(BUILD)/cairnd $(BUILD)/cairn-cli $(BUILD)/cairn-util \
		$(DESTDIR)$(BINDIR)
	$(INSTALL) -m 644 share/man/cairn-cli.1 share/man/cairn-util.1 \
		$(DESTDIR)$(MANDIR)/man1
	$(INSTALL) -m 644 share/man/cairn.conf.5 $(DESTDIR)$(MANDIR)/man5
	$(INSTALL) -m 644 share/man/cairnd.8 $(DESTDIR)$(MANDIR)/man8
	sed 's|@BINDIR@|$(BINDIR)|; s|@SYSCONFDIR@|$(SYSCONFDIR)|' \
		contrib/systemd/cairnd.service.in \
		>$(DESTDIR)$(UNITDIR)/cairnd.service
	chmod 644 $(DESTDIR)$(UNITDIR)/cairnd.service
	$(INSTALL) -m 644 contrib/systemd/cairn.sysusers \
		$(DESTDIR)$(SYSUSERSDIR)/cairn.conf
	$(INSTALL) -m 644 contrib/logrotate/cairnd \
		$(DESTDIR)$(SYSCONFDIR)/logrotate.d/cairnd
	$(INSTALL) -m 644 contrib/completion/cairn-cli.bash \
		$(DESTDIR)$(COMPDIR)/cairn-cli
	$(INSTALL) -m 644 contrib/completion/cairn-util.bash \
		$(DESTDIR)$(COMPDIR)/cairn-util
	$(INSTALL) -m 644 share/cairn.conf.example README.md LICENSE \
		$(DESTDIR)$(DOCDIR)
	$(INSTALL) -m 644 $(wildcard doc/*.md) $(DESTDIR)$(DOCDIR)/doc
	test -e $(DESTDIR)$(CONFDIR)/cairn.conf || \
		$(INSTALL) -m 644 share/cairn.conf.example \
		$(DESTDIR)$(CONFDIR)/cairn.conf
install-wire: $(WIRE_LIBS)
	$(INSTALL) -d $(addprefix $(DESTDIR),$(LIBDIR) $(PKGCONFIGDIR) \
		$(addprefix $(INCLUDEDIR)/cairn/,base crypto wire) \
		$(DOCDIR)/examples)
	$(INSTALL) -m 644 $(BUILD)/libcairn-wire.a $(DESTDIR)$(LIBDIR)
	$(INSTALL) -m 755 $(BUILD)/$(WIRE_SO) $(DESTDIR)$(LIBDIR)
	ln -sf $(WIRE_SO) $(DESTDIR)$(LIBDIR)/$(WIRE_SONAME)
	ln -sf $(WIRE_SONAME) $(DESTDIR)$(LIBDIR)/libcairn-wire.so
	$(INSTALL) -m 644 $(wildcard include/cairn/wire/*.h) \
		$(DESTDIR)$(INCLUDEDIR)/cairn/wire
	$(INSTALL) -m 644 $(WIRE_LIB_CRYPTO) $(DESTDIR)$(INCLUDEDIR)/cairn/crypto
	$(INSTALL) -m 644 $(WIRE_LIB_BASE) $(DESTDIR)$(INCLUDEDIR)/cairn/base
	sed -e 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|' \
		-e 's|@INCLUDEDIR@|$(INCLUDEDIR)|; s|@VERSION@|$(VERSION)|' \
		share/cairn-wire.pc.in >$(DESTDIR)$(PKGCONFIGDIR)/cairn-wire.pc
	chmod 644 $(DESTDIR)$(PKGCONFIGDIR)/cairn-wire.pc
	$(INSTALL) -m 644 share/examples/wire_example.c \
		$(DESTDIR)$(DOCDIR)/examples
uninstall:
	rm -f $(addprefix $(DESTDIR),$(INSTALLED))
	rm -rf $(DESTDIR)$(DOCDIR) $(DESTDIR)$(INCLUDEDIR)/cairn

# A tarball of what git tracks, the same bytes each time. distcheck builds it
# apart from the clone, tests it, installs it and takes it away again.
DIST = cairn-$(VERSION)
dist:
	git archive --format=tar --prefix=$(DIST)/ HEAD | gzip -n >$(DIST).tar.gz
DISTCHECK = $(abspath $(BUILD))/distcheck
DISTMAKE = $(MAKE) -C $(DISTCHECK)/$(DIST) BUILD=build \
	CAIRN_TEST_DATA="$${CAIRN_TEST_DATA:-$(CURDIR)/../shared/data}"
distcheck: dist
	rm -rf $(DISTCHECK)
	mkdir -p $(DISTCHECK)
	tar xzf $(DIST).tar.gz -C $(DISTCHECK)
	+$(DISTMAKE) all check-unit
	+$(DISTMAKE) DESTDIR=$(DISTCHECK)/root install
	$(DISTCHECK)/root$(BINDIR)/cairnd -version
	+$(DISTMAKE) DESTDIR=$(DISTCHECK)/root uninstall
	test "$$(cd $(DISTCHECK)/root && find . -type f)" = .$(CONFDIR)/cairn.conf
	rm -rf $(DISTCHECK)

deps:
	apt-get update
	apt-get install -y --no-install-recommends $(DEPS)
	for p in $(LLHTTP_DEPS); do \
		apt-get install -y --no-install-recommends $$p && exit 0; \
	done; exit 1

clean:
	rm -rf build
distclean: clean
	rm -rf configure config.mk config.log config.status autom4te.cache

.PHONY: all bench demo lint analyze install install-wire uninstall dist distcheck check \
	check-unit check-functional check-asan check-tsan unit-tests fuzz \
	fuzz-targets fuzz-smoke deps clean distclean
.DELETE_ON_ERROR:

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
