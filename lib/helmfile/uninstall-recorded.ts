import { kubeconfig } from '../fleet';
import { helmfileEnvironment } from './command-line';
import { withPrivateFolder } from './private-folder';
import type { RecordedReleases } from './recorded-releases';
import { describeReleases } from './recorded-releases';
import type { RunControl } from './run-helmfile';
import { describeEnd } from './plan';
import { runHelmProgram, succeeded } from './run-helm-program';

/** Longest wait for the objects of one release to be gone, in seconds: Helm's own default. */
const waitSeconds = 300;

/**
 * Uninstalls releases that are no longer in the program, from what stands in Pulumi's state. helmfile itself has no say, since
 * its values are not known any more: neither its `needs` nor its hooks count.
 *
 * @throws Error for each release that stayed, with what Helm said of it
 */
export async function uninstallRecorded(
  { file, releases, cluster, helm = 'helm' }: RecordedReleases,
  control: RunControl,
): Promise<void> {
  if (cluster === undefined) {
    throw new Error(
      `the kubeconfig of ${file} is no longer in the program, and ${describeReleases(releases)} stayed. Put the HelmfileRelease ` +
        'back and run pulumi destroy --run-program --target on it, or uninstall them with helmfile destroy and run pulumi state delete',
    );
  }
  await withPrivateFolder(async (folder) => {
    const config = await folder.write('kubeconfig', JSON.stringify(kubeconfig(cluster)));
    const env = helmfileEnvironment(process.env, {}, { kubeconfig: config, temporary: folder.temporary });
    const failures: string[] = [];
    for (const { name, namespace } of releases) {
      const end = await runHelmProgram({
        program: helm,
        args: [
          ...['uninstall', name, '--ignore-not-found', '--wait', '--timeout', `${waitSeconds}s`],
          ...(namespace === '' ? [] : ['--namespace', namespace]),
        ],
        env,
        timeoutMs: (waitSeconds + 30) * 1000,
        signal: control.signal,
        onLine: control.onLine,
      });
      if (!succeeded(end)) {
        const said = end.how === 'exited' ? end.stderr.trim() : '';
        failures.push(`release ${name}: ${said || describeEnd(end)}`);
      }
    }
    if (failures.length > 0) {
      throw new Error(`helm uninstall failed:\n${failures.join('\n')}`);
    }
  });
}
