import { join, sep } from 'node:path';
import { makeUrn, qualifiedType } from './wire';

/** The fields of Pulumi's resources that hold the tree. */
interface TreeNode {
  readonly __pulumiType: string;
  readonly __name?: string;
  readonly __childResources?: Iterable<TreeNode>;
}

/** A resource that a program made, whether or not it got as far as its registration. */
export interface MadeResource {
  readonly urn: string;
  readonly type: string;
  readonly name: string;
}

/**
 * The resources that a program made, in the order of making, each after its parent. Registrations come in the
 * order in which their inputs resolve, and may not come at all.
 *
 * @param stackResource the root, as Pulumi's state holds it
 */
export function madeResources(
  stackResource: unknown,
  { name: project, stack }: { readonly name: string; readonly stack: string },
): MadeResource[] {
  const made: MadeResource[] = [];
  const visit = (node: TreeNode, above: string): void => {
    const [type, name] = [node.__pulumiType, node.__name ?? ''];
    const qualified = qualifiedType(above, type);
    made.push({ urn: makeUrn(project, stack, qualified, name), type, name });
    for (const child of node.__childResources ?? []) {
      visit(child, qualified);
    }
  };
  if (stackResource !== undefined) {
    visit(stackResource as TreeNode, '');
  }
  return made;
}

/** Where this library's own code may stand: compiled, or as its source maps name it. */
const folders = ['dist', 'lib'].map((folder) => join(__dirname, '..', '..', '..', folder));

/** A program that could not be planned: it threw, or it never finished. */
export class PreviewFailed extends Error {
  /**
   * @param summary what happened, as a phrase
   * @param causes what the program threw, each once, in the order of happening
   * @param details lines that say more: what was pending, what may help
   */
  public constructor(
    public readonly summary: string,
    public readonly causes: readonly unknown[],
    public readonly details: readonly string[] = [],
  ) {
    super([summary, ...causes.map((cause) => errorText(cause)), ...details].join('\n'));
    this.name = 'PreviewFailed';
  }
}

/** How deep causes of causes are shown. */
const deepest = 5;

/**
 * An error with its stack and its causes. Other fields of an error are left out: Pulumi hangs whole resources on
 * some, secrets with them.
 */
export function errorText(error: unknown, depth = 0): string {
  if (!isError(error)) {
    return `thrown, but not an Error: ${typeof error === 'string' ? error : typeof error}`;
  }
  const own = withStack(error);
  const below = [...(Array.isArray(error.errors) ? (error.errors as unknown[]) : []), error.cause].filter(
    (each) => each !== undefined && each !== null,
  );
  return depth >= deepest
    ? own
    : [own, ...below.map((each) => `caused by: ${errorText(each, depth + 1)}`)].join('\n');
}

interface ErrorLike {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  readonly cause?: unknown;
  readonly errors?: unknown;
  /** Pulumi's ResourceError, for a message that says it all. */
  readonly hideStack?: boolean;
  /** Pulumi's RunError, always so. */
  readonly __pulumiRunError?: boolean;
}

/** Errors may come from another realm, as they do under jest. */
function isError(value: unknown): value is ErrorLike {
  return typeof value === 'object' && value !== null && 'message' in value && 'name' in value;
}

function withStack(error: ErrorLike): string {
  if (error.hideStack === true || error.__pulumiRunError === true) {
    return error.message;
  }
  const lines = (error.stack ?? '').split('\n');
  const frames = lines.filter((line) => /^\s+at /.test(line)).filter((frame) => !isOurs(frame));
  if (error.name === 'InvalidInput') {
    // It says what to change; one place says where.
    const place = frames.find((frame) => !isPackage(frame));
    return place === undefined ? error.message : `${error.message}\n${place}`;
  }
  // Before a syntax error's name stands the place, which no frame has.
  const place = error.name === 'SyntaxError' && !lines[0]?.startsWith(error.name) ? lines.slice(0, 1) : [];
  // The message anew: Pulumi adds to it after the stack was made.
  return [...place, `${error.name}: ${error.message}`, ...frames].join('\n');
}

function isOurs(frame: string): boolean {
  return /\(?node:/.test(frame) || folders.some((folder) => frame.includes(join(folder, 'preview', sep)));
}

function isPackage(frame: string): boolean {
  return /[\\/]node_modules[\\/]/.test(frame) || folders.some((folder) => frame.includes(`${folder}${sep}`));
}
