import { ApiObject } from 'cdk8s';
import type { IConstruct } from 'constructs';
import { strings } from '../tokens';

const watched = new WeakSet<IConstruct>();

/**
 * Lets `cdk8s synth` fail, and Pulumi's `Manifests` as well, where an object anywhere below a construct's root holds a
 * private key in the clear: it would stand in Git, or in a state file. The message names object, construct and field, and
 * nothing of the key. Constructs that hold credentials call it by themselves.
 *
 * @example
 * const app = new App();
 * gitops.refusePlainKeys(app);
 */
export function refusePlainKeys(scope: IConstruct): void {
  const { root } = scope.node;
  // One look at the whole tree a synthesis, however many ask for it.
  if (!watched.has(root)) {
    watched.add(root);
    root.node.addValidation({ validate: () => plainKeys(root) });
  }
}

function plainKeys(root: IConstruct): string[] {
  return root.node
    .findAll()
    .filter((construct): construct is ApiObject => ApiObject.isApiObject(construct))
    .flatMap((object) =>
      [...strings(object.toJson())]
        .filter(({ text }) => holdsPrivateKey(text))
        .map(
          ({ pointer, key }) =>
            `${object.kind} ${object.name} (${object.node.path}) ${key ? 'a key of it' : pointer}: a private key in the clear; ` +
            'take it from a Pulumi secret (bridge.outputToken), or from a secret store ({ fromStore })',
        ),
    );
}

/** The first line of a key, and something of its body: a mention of the line alone, in documentation, is no key. */
const privateKey = /-----BEGIN (?:[A-Z]+ ){0,3}PRIVATE KEY-----[\s\S]{0,200}?[A-Za-z0-9+/]{40}/;

/** Whether a text holds a private key, as it is, or in base64, as a Secret's `data` has it. */
export function holdsPrivateKey(text: string): boolean {
  return privateKey.test(text) || (base64.test(text) && privateKey.test(fromBase64(text)));
}

const base64 = /^[A-Za-z0-9+/\s]+(={1,2}\s*)?$/;

function fromBase64(text: string): string {
  return Buffer.from(text, 'base64').toString('latin1');
}
