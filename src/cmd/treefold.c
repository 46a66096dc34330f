/* treefold.c - the command that tells about the library: treefold info, plan, rules, tune, why.
 */
#include <limits.h>
#include <stdio.h>

#include "base/settings.h"
#include "cmd/installed.h"
#include "cmd/treefold.h"
#include "env/env.h"
#include "launch/launch.h"
#include "net/between.h"
#include "op/kernels.h"
#include "op/op.h"

extern char **environ;

static const struct tf_net *const netmods[] = {
#define TF_NETMOD(name, where) &tf_net_##name,
#include "net/netmods.def"
#undef TF_NETMOD
};

#ifndef TF_BUILD_COMPILER
#define TF_BUILD_COMPILER "cc"
#endif
#ifndef TF_BUILD_FLAGS
#define TF_BUILD_FLAGS ""
#endif
#ifndef TF_PREFIX
#define TF_PREFIX "(not installed)"
#endif

static const char usage[] = "Usage: treefold COMMAND\n"
                            "\n"
                            "  info      version, build, transports, and the settings with their values\n"
                            "  plan      an algorithm's plans: printed, proved, priced, drawn; 'treefold plan --help'\n"
                            "  rules     the rules by which algorithms are selected\n"
                            "  tune      measures algorithms and writes such rules; 'treefold tune --help'\n"
                            "  why       what the processes of a running job wait for; 'treefold why --help'\n"
                            "  version   the version\n"
                            "  help      this text\n";

#ifdef __x86_64__
#define BASELINE "baseline (sse2)"
#else
#define BASELINE "baseline"
#endif

/* The level is known by the table of kernels that tf_op_setup() took. */
static const char *simd_level(void)
{
    tf_kernel *const *sum = tf_op_find(MPI_SUM)->kernels;
#ifdef TF_HAVE_AVX512
    if (sum == tf_op_kernels_avx512[TF_OP_SUM])
        return "avx512";
#endif
#ifdef TF_HAVE_AVX2
    if (sum == tf_op_kernels_avx2[TF_OP_SUM])
        return "avx2";
#endif
    return sum == tf_op_kernels_baseline[TF_OP_SUM] ? BASELINE : "none";
}

static void show_build(void)
{
    char moved[PATH_MAX];
    printf("%s\n", tf_env_release());
    printf("  standard    MPI %d.%d, ABI %d.%d (libmpi_abi.so.1)\n", MPI_VERSION, MPI_SUBVERSION, MPI_ABI_VERSION,
           MPI_ABI_SUBVERSION);
    printf("  prefix      %s\n", tf_installed(TF_PREFIX, moved));
    printf("  compiler    %s (%s)\n", TF_BUILD_COMPILER, __VERSION__);
    printf("  flags       %s\n", TF_BUILD_FLAGS);
    printf("  SIMD        %s chosen for this processor\n", simd_level());
}

static void show_transports(void)
{
    printf("\nTransports\n");
    for (size_t i = 0; i < TF_ARRAY_LEN(netmods); i++) {
        const struct tf_net *net = netmods[i];
        char words[300];
        printf("  %-10s  %s\n", net->name, net->what);
        if (net->describe)
            printf("              %s: %s\n", net->describe(words, sizeof words) ? "here" : "not here", words);
    }
}

static void show_launchers(void)
{
    const char *name, *what, *here;
    printf("\nLaunchers\n");
    for (int i = 0; tf_launch_describe(i, &name, &what, &here); i++) {
        printf("  %-10s  %s\n", name, what);
        if (here[0])
            printf("              %s\n", here);
    }
}

static void show_settings(void)
{
    printf("\nSettings\n");
    for (int i = 0; i < tf_setting_count; i++) {
        const struct tf_setting *setting = &tf_setting_table[i];
        char value[256];
        tf_settings_show(setting, setting->value, value, sizeof value);
        printf("  %s=%s (%s)\n", setting->variable, value,
               setting->from_environment ? "from the environment" : "the default");
        printf("      %s%s%s%s\n", setting->sentence, setting->allowed[0] ? " [" : "", setting->allowed,
               setting->allowed[0] ? "]" : "");
    }
}

static bool is_known(const char *variable, size_t length)
{
    static const char *const others[] = {"TREEFOLD_CC", "TREEFOLD_CXX"}; /* the compiler wrappers' */
    for (size_t i = 0; i < TF_ARRAY_LEN(others); i++)
        if (strlen(others[i]) == length && !strncmp(others[i], variable, length))
            return true;
    for (int i = 0; i < tf_setting_count; i++)
        if (strlen(tf_setting_table[i].variable) == length && !strncmp(tf_setting_table[i].variable, variable, length))
            return true;
    return false;
}

/* A misspelt variable is silent in a program; here is the place to find it. */
static void show_unknown(void)
{
    for (char **entry = environ; *entry; entry++) {
        size_t length = strcspn(*entry, "=");
        if (!strncmp(*entry, "TREEFOLD_", 9) && !is_known(*entry, length))
            printf("\n%.*s is in the environment, but there is no such setting\n", (int)length, *entry);
    }
}

static int show_info(void)
{
    tf_settings_load(true);
    tf_op_setup(tf_settings.simd);
    show_build();
    show_transports();
    show_launchers();
    show_settings();
    tf_cmd_rules_sources();
    show_unknown();
    return EXIT_SUCCESS;
}

static bool is_command(const char *word, const char *name)
{
    return !strcmp(word + strspn(word, "-"), name);
}

/* What is wrong with these words. */
static void explain(int argc, char **argv)
{
    static const char *const alone[] = {"info", "rules", "version", "help", "h"};
    bool known = false;
    for (size_t i = 0; i < TF_ARRAY_LEN(alone); i++)
        known |= is_command(argv[1], alone[i]);
    if (known && argc > 2)
        fprintf(stderr, "treefold: %s takes nothing behind it, such as \"%s\"\n\n", argv[1], argv[2]);
    else
        fprintf(stderr, "treefold: there is no command \"%s\"\n\n", argv[1]);
}

static int run(int argc, char **argv)
{
    if (argc > 1 && is_command(argv[1], "plan"))
        return tf_cmd_plan(argc - 1, argv + 1);
    if (argc > 1 && is_command(argv[1], "tune"))
        return tf_cmd_tune(argc - 1, argv + 1);
    if (argc > 1 && is_command(argv[1], "why"))
        return tf_cmd_why(argc - 1, argv + 1);
    const char *command = argc == 2 ? argv[1] : "";
    if (is_command(command, "info"))
        return show_info();
    if (is_command(command, "rules"))
        return tf_cmd_rules();
    if (is_command(command, "version")) {
        puts(tf_env_release());
        return EXIT_SUCCESS;
    }
    bool asked = is_command(command, "help") || is_command(command, "h");
    if (argc > 1 && !asked)
        explain(argc, argv);
    fputs(usage, asked ? stdout : stderr);
    return asked ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    tf_between_setup(); /* each command loads the settings */
    int status = run(argc, argv);
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fputs("treefold: cannot write the output; is the disk full?\n", stderr);
    return EXIT_FAILURE;
}
