"""Programs that are never run for a model, with the reason."""

from bot.core.shapes import words

FAMILIES = {
    "shells are not run: give one program and its arguments": """
        sh bash rbash zsh dash ksh mksh pdksh fish csh tcsh ash yash osh ysh nu elvish xonsh rc es busybox toybox cmd
        powershell pwsh
    """,
    "package managers are not run: a new dependency needs a person": """
        pip pipx uv uvx poetry pdm rye pixi conda mamba micromamba easy_install hatch flit buildout tox nox npm npx
        yarn pnpm corepack bun bunx gem bundle bundler composer cargo rustup go apt apt-get aptitude dpkg dnf yum
        zypper rpm brew port apk pacman snap flatpak nix nix-env nix-shell nix-build guix virtualenv asdf mise cpan
        cpanm luarocks opam stack cabal vcpkg conan
    """,
    "programs that reach the network are not run": """
        curl wget aria httpie http https xh nc ncat netcat ssh sshd scp sftp rsync ftp lftp telnet socat dig nslookup
        host ping traceroute gh hub glab aws gcloud gsutil az kubectl helm docker podman nerdctl buildah skopeo twine
        psql mysql mongo mongosh redis-cli mail sendmail mutt lynx w3m links svn hg terraform ansible rclone
    """,
    "programs that change who runs are not run": """
        sudo sudoedit su doas pkexec chroot unshare nsenter setpriv capsh runuser runas mount umount bwrap firejail
        fakeroot newgrp sg systemd-run systemctl service at batch crontab
    """,
    "programs that start other programs are not run: name the program itself": """
        env xargs nohup timeout time nice ionice chrt taskset setarch setsid setlocale flock watch exec eval command
        script unbuffer expect strace ltrace gdb lldb valgrind perf parallel stdbuf entr catchsegv faketime proot
        screen tmux make gmake cmake ninja meson just task rake bazel buck gradle gradlew mvn ant scons waf coverage
        start-stop-daemon ld.so ld-linux-x86-64.so tclkit dbus-run-session xvfb-run run-parts pre-commit git-shell
    """,
    "programs that edit or page can start others: read with read_file, change with the editing tools": """
        sed awk gawk mawk nawk vi vim view nvim nano emacs ed ex less more man info
    """,
    "other interpreters are not run: declare a check for it": """
        node nodejs ts-node tsx deno perl ruby irb php lua luajit tclsh wish osascript java jshell rscript r julia
        ipython jupyter pypy graalpy jython micropython octave guile racket scheme sbcl clisp ghc ghci runghc
        ocaml elixir iex erl escript scala kotlin kotlinc groovy dotnet mono raku swift gnuplot bc dc m sqlite
    """,
    "files are changed with the editing tools": """
        rm rmdir unlink mv cp ln link mkdir mkfifo mknod touch chmod chown chgrp chattr setfacl dd tee truncate
        install patch shred split csplit zip unzip gzip gunzip bzip xz zstd tar cpio ar
    """,
}
REFUSED = {program: reason for reason, programs in FAMILIES.items() for program in words(programs)}

STARTERS = frozenset(
    name for name, reason in REFUSED.items() if reason.startswith(("shells", "programs that change who"))
)
"""What a program that nobody knows must not be told to start."""
