/** The images of the example. */
export interface Images {
  /** podinfo: `ghcr.io/stefanprodan/podinfo@sha256:…`. */
  readonly podinfo: string;
  /** Flagger's load tester: `ghcr.io/fluxcd/flagger-loadtester@sha256:…`. */
  readonly loadTester: string;
}

/**
 * The images by their digests, from `PODINFO_IMAGE` and `LOAD_TESTER_IMAGE`. A tag may be another image tomorrow, and a new
 * image under an old name starts no canary.
 *
 * @throws Error with each variable that is missing or has no digest
 */
export function imagesOf(environment: Readonly<Record<string, string | undefined>>): Images {
  const { PODINFO_IMAGE: podinfo = '', LOAD_TESTER_IMAGE: loadTester = '' } = environment;
  const wrong = Object.entries({ PODINFO_IMAGE: podinfo, LOAD_TESTER_IMAGE: loadTester }).filter(
    ([, image]) => !/^[^\s@]+@sha256:[0-9a-f]{64}$/.test(image),
  );
  if (wrong.length > 0) {
    const lines = wrong.map(
      ([name, image]) => `${name}: "${image}" must be an image by its digest, NAME@sha256:…`,
    );
    throw new Error(lines.join('\n'));
  }
  return { podinfo, loadTester };
}
