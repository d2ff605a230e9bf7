/** What helmfile is run for. */
export type HelmfileVerb = 'list' | 'diff' | 'apply' | 'destroy';

/** What says which helmfile is run, and how. All of it is plain, and nothing of it is secret. */
export interface HelmfileChoice {
  readonly file: string;
  readonly environment?: string;
  readonly selectors: readonly string[];
  readonly stateValuesFiles: readonly string[];
  readonly valuesFiles: readonly string[];
  readonly concurrency?: number;
  readonly helm: string;
}

/**
 * The arguments of helmfile. Values are never among them, since every user of the machine can read a process's arguments: they
 * come in files.
 *
 * @see https://helmfile.readthedocs.io/en/latest/cli/
 */
export function helmfileArguments(verb: HelmfileVerb, choice: HelmfileChoice): string[] {
  const { file, environment, selectors, stateValuesFiles, helm } = choice;
  return [
    ...['--file', file, '--no-color', '--helm-binary', helm],
    ...(environment === undefined ? [] : ['--environment', environment]),
    // One flag each: a release that fits any of them is taken.
    ...selectors.flatMap((selector) => ['--selector', selector]),
    ...stateValuesFiles.flatMap((path) => ['--state-values-file', path]),
    verb,
    ...verbArguments(verb, choice),
  ];
}

function verbArguments(verb: HelmfileVerb, { valuesFiles, concurrency }: HelmfileChoice): string[] {
  const limit = concurrency === undefined ? [] : ['--concurrency', String(concurrency)];
  const values = valuesFiles.flatMap((path) => ['--values', path]);
  switch (verb) {
    case 'list':
      return ['--output', 'json', '--skip-charts'];
    case 'diff':
      return ['--detailed-exitcode', '--suppress-secrets', '--context', '3', ...limit, ...values];
    case 'apply':
      return ['--suppress-secrets', '--suppress-diff', '--skip-diff-on-install', ...limit, ...values];
    case 'destroy':
      return ['--skip-charts', ...limit];
  }
}

/**
 * Variables that would lead Helm or helmfile to another cluster, or to other releases.
 * @see https://helm.sh/docs/helm/helm/
 * @see https://github.com/helmfile/helmfile/blob/v1.8.0/pkg/envvar/const.go
 */
const strayVariables =
  /^(HELM_KUBE.*|HELM_NAMESPACE|HELMFILE_(KUBE_CONTEXT|NAMESPACE|ENVIRONMENT|FILE_PATH|INTERACTIVE|HELM_BINARY))$/;

/** The environment of helmfile: the program's own, without what leads elsewhere. */
export function helmfileEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  given: Readonly<Record<string, string>>,
  places: { readonly kubeconfig: string; readonly temporary: string },
): Record<string, string | undefined> {
  const kept = Object.entries(own).filter(([name]) => !strayVariables.test(name));
  return {
    ...Object.fromEntries(kept),
    HELMFILE_UPGRADE_NOTICE_DISABLED: 'true',
    ...given,
    KUBECONFIG: places.kubeconfig,
    // What helmfile writes down has values in it, and some of it stays behind.
    TMPDIR: places.temporary,
    HELMFILE_TEMPDIR: places.temporary,
    CHARTIFY_TEMPDIR: places.temporary,
  };
}
