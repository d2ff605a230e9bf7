import type { ObjectIndex } from '../object-index';
import type { Container } from './workloads';
import { workloads } from './workloads';

/** What the objects say of the cert-manager that runs. */
export interface InstalledCertManager {
  /** Minor version: 21 of `v1.21.2`. @default - it is not among the objects, or has no version as its image's tag */
  readonly minor?: number;
  /**
   * Whether a new CA is put beside those that a bundle has, in place of replacing them: by default since 1.19, always since
   * 1.21. @default - not known
   */
  readonly merges?: boolean;
}

const always = 21;
const byDefault = 19;

/** View of the cert-manager among the objects: `objects.view(installedCertManager)`. */
export function installedCertManager(objects: ObjectIndex): InstalledCertManager {
  const containers = objects.view(workloads).all.flatMap((workload) => workload.containers);
  const injector = containers.find((each) => programOf(each) === 'cert-manager-cainjector');
  const program = injector ?? containers.find((each) => programOf(each) === 'cert-manager-controller');
  const [, tag] = /:v?1\.(\d+)/.exec(imageOf(program).split('/').at(-1)!) ?? [];
  if (tag === undefined) {
    return {};
  }
  const minor = Number(tag);
  const gate = injector && gateOf(injector);
  return { minor, merges: minor >= always || (gate ?? minor >= byDefault) };
}

function imageOf(container: Container | undefined): string {
  return container?.field.get('image').text?.split('@')[0] ?? '';
}

function programOf(container: Container): string {
  return imageOf(container).split('/').at(-1)!.split(':')[0]!;
}

/** What `--feature-gates` says of merging. */
function gateOf({ field }: Container): boolean | undefined {
  const words = [...field.get('command').texts, ...field.get('args').texts].join(' ');
  const [, said] = /\bCAInjectorMerging=(true|false)\b/.exec(words) ?? [];
  return said === undefined ? undefined : said === 'true';
}
