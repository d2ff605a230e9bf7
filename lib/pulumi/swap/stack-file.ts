import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { writeBelow } from '../../core/files/write';
import { InvalidInput, isPlainObject, readText } from '../../core/validation/problems';
import { readForeignSettings } from '../../core/validation/read-settings';
import type { FleetConfiguration, FleetPlaces } from '../../operate/swap/programs';
import { readFleet, withFleet } from '../../operate/swap/programs';

const projectFiles = ['Pulumi.yaml', 'Pulumi.yml', 'Pulumi.json'];

/**
 * Where a stack's configuration is: `Pulumi.STACK.yaml` beside `Pulumi.yaml`, or in the folder that the project names.
 *
 * @throws InvalidInput where the folder has no project
 * @see https://www.pulumi.com/docs/iac/concepts/projects/stack-settings-file/
 */
export function stackFilePath(folder: string, stack: string): string {
  const project = projectFiles.find((name) => existsSync(join(folder, name)));
  if (project === undefined) {
    const allowed =
      'a folder with the file Pulumi.yaml; "folder" of "pulumi" names it, from the swap file on';
    throw new InvalidInput(folder, [{ path: folder, allowed }]);
  }
  const file = join(folder, project);
  const content = readForeignSettings<unknown>(readText(file, "a project's settings"), file, () => []);
  const inside = isPlainObject(content) ? content.stackConfigDir : undefined;
  const name = `Pulumi.${stack.split('/').at(-1)}${project.slice('Pulumi'.length)}`;
  return join(folder, typeof inside === 'string' ? inside : '', name);
}

/** The configuration file of a stack, as far as it says what the fleet is. */
export class StackFile {
  /** @param file its path */
  public constructor(
    public readonly file: string,
    private readonly places: FleetPlaces,
  ) {}

  /** @throws InvalidInput with everything that is wrong */
  public read(): FleetConfiguration {
    return readFleet(this.text(), this.file, this.places);
  }

  /** Writes all of it at once: a run that is killed leaves either the old file or the new one. */
  public write(configuration: FleetConfiguration): void {
    const text = withFleet(this.text(), this.file, this.places, configuration);
    writeBelow(dirname(this.file), [{ path: basename(this.file), text }]);
  }

  /** Does something with a copy that says something else, which only this user can read and which is gone afterwards. */
  public async withCopy<T>(configuration: FleetConfiguration, use: (copy: string) => Promise<T>): Promise<T> {
    const text = withFleet(this.text(), this.file, this.places, configuration);
    const folder = await mkdtemp(join(tmpdir(), 'cluster-canary-stack-'));
    try {
      const copy = join(folder, basename(this.file));
      await writeFile(copy, text, { mode: 0o600, flag: 'wx' });
      return await use(copy);
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    }
  }

  private text(): string {
    return readText(this.file, "a stack's configuration, in YAML");
  }
}
