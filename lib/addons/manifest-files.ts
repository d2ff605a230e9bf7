import { createHash } from 'node:crypto';
import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import { FileRefused, readBounded } from '../files';
import type { Problem, OptionsOf } from '../problems';
import { Problems } from '../problems';
import type { JudgedObject } from '../rules';
import { readManifests } from '../rules';

/** A file of manifests on this machine. */
export interface ManifestFile {
  /** Path of the YAML file, from the working directory. Nothing is downloaded. */
  readonly path: string;
  /**
   * SHA-256 of the file, in hexadecimal: what is applied is what was looked at.
   * @default - it is not compared
   */
  readonly sha256?: string;
}

export const manifestFileKeys: OptionsOf<ManifestFile> = { path: 'plain', sha256: 'plain' };

/** What files hold, and what is wrong with them. */
export interface ReadFiles {
  readonly objects: readonly JudgedObject[];
  readonly problems: readonly Problem[];
}

/** Reads files of manifests; what can't be read is a problem with the path `files[0]`. */
export function readManifestFiles(files: readonly ManifestFile[], at = 'files'): ReadFiles {
  const problems = new Problems('manifests');
  const objects = files.flatMap((file, position) => readFile(file, `${at}[${position}]`, problems));
  return { objects, problems: problems.all };
}

function readFile(file: ManifestFile, at: string, problems: Problems): readonly JudgedObject[] {
  let content: Buffer;
  try {
    content = readBounded(file.path);
  } catch (error) {
    const code =
      error instanceof FileRefused ? error.reason : ((error as NodeJS.ErrnoException).code ?? 'unreadable');
    problems.add(`${at}.path`, file.path, `a file that can be read (${code})`);
    return [];
  }
  const found = createHash('sha256').update(content).digest('hex');
  if (file.sha256 !== undefined && file.sha256.toLowerCase() !== found) {
    problems.add(`${at}.sha256`, file.sha256, `that of ${file.path}: ${found}`);
  }
  const text = content.toString('utf8');
  const { objects, unreadable, others } = readManifests(text, { file: file.path, read: () => text });
  for (const { line, reason } of unreadable) {
    problems.add(`${at}.path`, file.path, `a file of Kubernetes objects: line ${line ?? 1}: ${reason}`);
  }
  if (others > 0 || (objects.length === 0 && unreadable.length === 0)) {
    problems.add(
      `${at}.path`,
      file.path,
      `a file of Kubernetes objects: ${others > 0 ? `${others} documents are none` : 'it has none'}`,
    );
  }
  return objects;
}

/** Adds objects of files to a construct tree. */
export function addObjects(scope: Construct, objects: readonly JudgedObject[]): void {
  objects.forEach(({ value, kind, name, namespace }, position) => {
    const id = `${position}-${kind}-${namespace ?? ''}-${name ?? ''}`;
    new ApiObject(scope, id, value as unknown as ConstructorParameters<typeof ApiObject>[2]);
  });
}
