import { makeUrn, qualifiedType } from './urn';

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
