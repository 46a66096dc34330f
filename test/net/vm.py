#!/usr/bin/env python3
"""A command in a virtual machine that sees this machine's files and has a kernel with what tests of networks need:
soft-RoCE (verbs without hardware), netem, namespaces.  Emulated, so it needs neither root nor a feature of the host.

    test/net/vm.py [--cache FOLDER] [--seconds N] COMMAND...      exit status: the command's, or 77 where there is none

The root of the guest is the host's, read-only, with a layer in memory above it that takes what is written; its /tmp and
/run are empty but for the folders that the caller names.  /share is a folder of both.  The kernel is Debian's of flavour
amd64, an installed one or one that apt-get downloads (70 MB, once: kernel and modules are kept in FOLDER, 12 MB).
"""
import argparse
import glob
import gzip
import lzma
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

MODULES = ["virtio_pci", "9p", "9pnet_virtio", "overlay", "virtio_net", "veth", "bridge", "dummy", "sch_netem", "rdma_rxe",
           "ib_uverbs", "rdma_ucm"]
# Checksums of rdma_rxe, which asks for them by the name of the algorithm.
MODULES += ["crc32_generic", "crc32c_generic"]
TOOLS = {"qemu-system-x86_64": "qemu-system-x86", "busybox": "busybox-static", "depmod": "kmod", "modprobe": "kmod",
         "cpio": "cpio", "timeout": "coreutils"}
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

INIT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin
mkdir -p /proc /sys /dev /host /upper /guest
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
for module in $(cat /modules/order); do
    insmod /modules/$module || echo "insmod $module failed"
done
mount -t 9p -o ro,trans=virtio,version=9p2000.L,msize=512000,cache=loose root /host
mount -t tmpfs -o size=50% upper /upper
mkdir /upper/changed /upper/work
mount -t overlay -o lowerdir=/host,upperdir=/upper/changed,workdir=/upper/work root /guest
cd /guest
mkdir -p proc sys dev run tmp share
mount -t proc proc proc
mount -t sysfs sys sys
mount -t devtmpfs dev dev
mkdir -p dev/pts dev/shm
mount -t devpts pts dev/pts
for empty in dev/shm run tmp; do
    mount -t tmpfs -o mode=1777 empty $empty
done
mount -t 9p -o rw,trans=virtio,version=9p2000.L,msize=512000,cache=none share share
. share/boot
ip link set lo up
chroot . /bin/sh /share/command >share/output 2>&1 </dev/null
echo $? >share/status
sync
poweroff -f
"""


class Missing(Exception):
    """Why there can be no guest."""


def find(tool):
    return shutil.which(tool, path=os.environ.get("PATH", "") + ":" + PATH)


def default_cache():
    return os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "treefold")


def installed_kernel():
    """The newest one that is installed with soft-RoCE, as (version, the root of its files), or None."""
    for folder in sorted(glob.glob("/lib/modules/*/kernel/drivers/infiniband/sw/rxe"), reverse=True):
        version = folder.split("/")[3]
        if os.access("/boot/vmlinuz-" + version, os.R_OK):
            return version, "/"
    return None


def downloaded_kernel(folder):
    told = subprocess.run(["apt-cache", "depends", "linux-image-amd64"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          encoding="utf-8", check=False).stdout if find("apt-cache") else ""
    packages = [line.split()[-1] for line in told.splitlines() if "Depends: linux-image-" in line]
    if not packages:
        raise Missing("no kernel of Debian's flavour amd64 is installed, and apt knows of none")
    done = subprocess.run(["timeout", "300", "apt-get", "-q", "download", packages[0]], cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, encoding="utf-8", errors="replace", check=False)
    package = glob.glob(os.path.join(folder, "*.deb"))
    if done.returncode != 0 or not package:
        raise Missing("apt-get cannot download %s: %s" % (packages[0], (done.stdout.splitlines() or [""])[-1]))
    root = os.path.join(folder, "package")
    subprocess.run(["dpkg-deb", "--extract", package[0], root], check=True)
    version = packages[0].replace("linux-image-", "")
    subprocess.run([find("depmod"), "-b", root, version], check=True)
    return version, root


def pack(folder, image):
    """A file system for the kernel to start with; several may follow each other in one file."""
    names = "\n".join(sorted(os.path.relpath(os.path.join(path, name), folder)
                             for path, folders, files in os.walk(folder) for name in folders + files))
    archive = subprocess.run([find("cpio"), "-o", "-H", "newc", "--quiet", "-R", "0:0"], cwd=folder, input=names.encode(),
                             stdout=subprocess.PIPE, check=True).stdout
    with gzip.open(image, "wb", 1) as f:
        f.write(archive)


def keep_kernel(cache):
    """Leave the files `vmlinuz` and `modules` in the cache."""
    os.makedirs(cache, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache, prefix="kernel-") as folder:
        version, root = installed_kernel() or downloaded_kernel(folder)
        modules = os.path.join(folder, "initial", "modules")
        os.makedirs(modules)
        order = []
        for name in MODULES:
            told = subprocess.run([find("modprobe"), "-d", root, "-S", version, "--show-depends", name],
                                  stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
            for path in (line.split()[1] for line in told.splitlines() if line.startswith("insmod ")):
                plain = os.path.basename(path).removesuffix(".xz")
                if plain not in order:
                    order.append(plain)
                    with (lzma.open if path.endswith(".xz") else open)(path, "rb") as f:
                        content = f.read()
                    with open(os.path.join(modules, plain), "wb") as f:
                        f.write(content)
        with open(os.path.join(modules, "order"), "w", encoding="utf-8") as f:
            f.write("\n".join(order) + "\n")
        pack(os.path.join(folder, "initial"), os.path.join(folder, "modules"))
        shutil.copyfile(os.path.join(root, "boot/vmlinuz-" + version), os.path.join(folder, "vmlinuz"))
        # Both are whole when they get their names, whoever else does the same now.
        for name in ("modules", "vmlinuz"):
            os.replace(os.path.join(folder, name), os.path.join(cache, name))


def prepare(cache=None):
    """The cache, filled; raises Missing, with the reason, where no guest can be had."""
    missing = sorted({package for tool, package in TOOLS.items() if not find(tool)})
    if missing:
        raise Missing("needs " + ", ".join(missing))
    cache = os.path.abspath(cache or default_cache())
    if not os.path.exists(os.path.join(cache, "vmlinuz")):
        keep_kernel(cache)
    return cache


class Guest:
    """One virtual machine with its share; boot() blocks until the command has ended.

    `see` names folders of the host's /tmp or /run that the guest is to see, read-only.  `link` are QEMU's words for
    the other end of its network card, if it is to have one."""

    def __init__(self, cache, name="h1", see=(), link=None, memory=2048):
        self.folder = tempfile.mkdtemp(prefix="treefold-vm-")
        self.share = os.path.join(self.folder, "share")
        self.cache, self.name, self.link, self.memory = cache, name, link, memory
        self.process = None
        first = os.path.join(self.folder, "first")
        os.makedirs(os.path.join(first, "bin"))
        os.mkdir(self.share)
        shutil.copy(find("busybox"), os.path.join(first, "bin/busybox"))
        with open(os.path.join(first, "init"), "w", encoding="utf-8") as f:
            f.write(INIT)
        os.chmod(os.path.join(first, "init"), 0o755)
        pack(first, os.path.join(self.folder, "first.gz"))
        with open(os.path.join(self.folder, "initrd"), "wb") as out:
            for part in (os.path.join(cache, "modules"), os.path.join(self.folder, "first.gz")):
                with open(part, "rb") as f:
                    shutil.copyfileobj(f, out)
        with open(os.path.join(self.share, "boot"), "w", encoding="utf-8") as f:
            f.write("hostname %s\necho 127.0.0.1 localhost %s >etc/hosts\n" % (name, name))
            for path in map(os.path.realpath, see):
                if path.startswith(("/tmp/", "/run/", "/dev/shm/")):
                    f.write("mkdir -p .%s && mount -o bind /host%s .%s\n" % ((shlex.quote(path),) * 3))

    def boot(self, command, seconds=120, **environment):
        """(exit status, or None if there was none in time; what the command printed)"""
        settings = dict({"PATH": PATH, "HOME": "/root", "LC_ALL": "C.UTF-8"}, **environment)
        with open(os.path.join(self.share, "command"), "w", encoding="utf-8") as f:
            f.write("ulimit -l unlimited\nexec env -i %s\n" %
                    shlex.join(["%s=%s" % pair for pair in settings.items()] + list(command)))
        for name in ("output", "status"):
            if os.path.exists(os.path.join(self.share, name)):
                os.remove(os.path.join(self.share, name))
        self.process = subprocess.Popen(["timeout", "-k", "5", str(seconds), *self.machine()], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
                                        errors="replace")
        console = self.process.communicate()[0].replace("\r", "")
        status, output = self.read("status"), self.read("output")
        return (int(status), output) if status else (None, output + console)

    def machine(self):
        """QEMU's command.  More processors than most hosts have to spare: ranks that spin would keep the kernel of the
        guest from moving their messages.  A processor without AVX: the C library uses what it finds, and wide vectors are
        what is emulated slowest."""
        shares = []
        for tag, path, mode in (("root", "/", "readonly=on,multidevs=remap"), ("share", self.share, "readonly=off")):
            shares += ["-fsdev", "local,id=%s,path=%s,security_model=none,%s" % (tag, path, mode),
                       "-device", "virtio-9p-pci,fsdev=%s,mount_tag=%s" % (tag, tag)]
        if self.link:
            shares += ["-netdev", "stream,id=net," + self.link,
                       "-device", "virtio-net-pci,netdev=net,romfile=,host_mtu=4200,mac=52:54:00:00:00:%02x" %
                       (sum(self.name.encode()) % 256)]
        return [find("qemu-system-x86_64"), "-accel", "tcg,thread=multi", "-cpu", "Westmere", "-smp", "4", "-m",
                str(self.memory), "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none", "-serial", "stdio",
                "-kernel", os.path.join(self.cache, "vmlinuz"), "-initrd", os.path.join(self.folder, "initrd"),
                "-append", "console=ttyS0 quiet panic=-1 mitigations=off", *shares]

    def read(self, name):
        try:
            with open(os.path.join(self.share, name), encoding="utf-8", errors="replace") as f:
                return f.read()
        except FileNotFoundError:
            return ""

    def close(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description="Run a command in a virtual machine that sees this machine's files.")
    parser.add_argument("--cache", help="where kernel and modules are kept (default: %s)" % default_cache())
    parser.add_argument("--seconds", type=int, default=120, help="time limit")
    parser.add_argument("--see", action="append", default=[], help="a folder below /tmp that the guest is to see too")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    if not args.command:
        parser.error("COMMAND is missing")
    try:
        guest = Guest(prepare(args.cache), see=args.see)
    except Missing as why:
        print("no guest: %s" % why)
        return 77
    try:
        status, output = guest.boot(args.command, args.seconds)
        sys.stdout.write(output)
        return 124 if status is None else status
    finally:
        guest.close()


if __name__ == "__main__":
    sys.exit(main())
