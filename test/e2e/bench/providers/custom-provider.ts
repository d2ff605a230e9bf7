import { randomBytes } from 'node:crypto';
import * as messages from '@pulumi/pulumi/proto/provider_pb';
import { PluginInfo } from '@pulumi/pulumi/proto/plugin_pb';
import { Empty } from 'google-protobuf/google/protobuf/empty_pb';
import { Struct } from 'google-protobuf/google/protobuf/struct_pb';
import { difference } from './difference';
import type { CustomProvider, Properties, ResourceKind } from './resource-kind';
import { answering, packageVersion, serve } from './serve';

/**
 * Serves a provider of ordinary resources. Left out of what a real provider does: schemas, default tags,
 * time limits, secrets of its own (the engine keeps those of the inputs), and refusing inputs in `check`.
 *
 * @param sdk npm package of the SDK, whose version the provider gives as its own
 */
export function serveCustomProvider(sdk: string, provider: CustomProvider): void {
  serve({
    getPluginInfo: answering(() => new PluginInfo().setVersion(packageVersion(sdk))),
    getSchema: answering(() => new messages.GetSchemaResponse().setSchema('{}')),
    attach: answering(() => new Empty()),
    cancel: answering(() => new Empty()),
    checkConfig: answering((asked: messages.CheckRequest) =>
      new messages.CheckResponse().setInputs(asked.getNews()),
    ),
    diffConfig: answering(diffConfig),
    configure: answering((asked: messages.ConfigureRequest) => {
      provider.configure(plain(asked.getArgs()));
      return new messages.ConfigureResponse().setSupportspreview(true);
    }),
    check: answering((asked: messages.CheckRequest) => check(provider, asked)),
    diff: answering((asked: messages.DiffRequest) => diff(provider, asked)),
    create: answering((asked: messages.CreateRequest) => create(provider, asked)),
    read: answering((asked: messages.ReadRequest) => read(provider, asked)),
    update: answering((asked: messages.UpdateRequest) => update(provider, asked)),
    delete: answering(async (asked: messages.DeleteRequest) => {
      try {
        await provider.kind(asked.getType()).delete?.(asked.getId(), plain(asked.getProperties()));
      } catch (error) {
        // As real providers do: what is gone already is deleted. An engine may have been killed before it heard of it.
        if (!/NotFound|NoSuch/.test((error as Error).name)) {
          throw error;
        }
      }
      return new Empty();
    }),
    invoke: answering(async (asked: messages.InvokeRequest) => {
      if (!provider.invoke) {
        throw new Error(`the test provider has no function ${asked.getTok()}`);
      }
      const result = await provider.invoke(asked.getTok(), plain(asked.getArgs()));
      return new messages.InvokeResponse().setReturn(struct(result));
    }),
  });
}

async function check(
  provider: CustomProvider,
  asked: messages.CheckRequest,
): Promise<messages.CheckResponse> {
  const inputs = plain(asked.getNews());
  const { autoName } = provider.kind(asked.getType());
  if (autoName !== undefined && inputs[autoName] === undefined && inputs[`${autoName}Prefix`] === undefined) {
    const before = plain(asked.getOlds())[autoName] as string | undefined;
    // As Pulumi's AWS provider makes names: seven hexadecimal digits behind the resource's own.
    inputs[autoName] = before ?? `${asked.getName()}-${randomBytes(4).toString('hex').slice(1)}`;
  }
  const taken = provider.check ? await provider.check(plain(asked.getOlds()), inputs) : inputs;
  return new messages.CheckResponse().setInputs(struct(taken));
}

function diff(provider: CustomProvider, asked: messages.DiffRequest): messages.DiffResponse {
  const { changed, replaces } = difference(
    plain(asked.getOldInputs()),
    plain(asked.getNews()),
    provider.kind(asked.getType()).fixed,
  );
  const { DIFF_SOME, DIFF_NONE } = messages.DiffResponse.DiffChanges;
  return new messages.DiffResponse()
    .setChanges(changed.length > 0 ? DIFF_SOME : DIFF_NONE)
    .setDiffsList(changed)
    .setReplacesList(replaces);
}

/** Another configuration of a provider, say another kubeconfig of the same cluster, replaces nothing here. */
function diffConfig(asked: messages.DiffRequest): messages.DiffResponse {
  const { changed } = difference(plain(asked.getOldInputs()), plain(asked.getNews()));
  const { DIFF_SOME, DIFF_NONE } = messages.DiffResponse.DiffChanges;
  return new messages.DiffResponse().setChanges(changed.length > 0 ? DIFF_SOME : DIFF_NONE);
}

async function create(
  provider: CustomProvider,
  asked: messages.CreateRequest,
): Promise<messages.CreateResponse> {
  const inputs = plain(asked.getProperties());
  if (asked.getPreview()) {
    // An output that is left out is unknown in a preview.
    return new messages.CreateResponse().setProperties(struct(inputs));
  }
  const request = { urn: asked.getUrn(), name: asked.getName(), type: asked.getType() };
  const { id, outputs } = await provider.kind(asked.getType()).create(inputs, request);
  return new messages.CreateResponse().setId(id).setProperties(struct({ ...inputs, ...outputs }));
}

async function read(provider: CustomProvider, asked: messages.ReadRequest): Promise<messages.ReadResponse> {
  const given = plain(asked.getProperties());
  // Of a resource whose creation was cut short, only its inputs are known.
  const before = Object.keys(given).length > 0 ? given : plain(asked.getInputs());
  const kind = provider.kind(asked.getType());
  const now = kind.read ? await kind.read(asked.getId(), before) : before;
  if (now === undefined) {
    return new messages.ReadResponse();
  }
  return new messages.ReadResponse()
    .setId(asked.getId())
    .setProperties(struct({ ...before, ...now }))
    .setInputs(struct(foundInputs(kind, plain(asked.getInputs()), now)));
}

/** As providers do: a refresh takes what the program set before as it is now, an import takes all. */
function foundInputs({ inputs = [] }: ResourceKind, before: Properties, now: Properties): Properties {
  const imported = Object.keys(before).length === 0;
  const taken = inputs.filter((key) => now[key] !== undefined && (imported || key in before));
  return { ...before, ...Object.fromEntries(taken.map((key) => [key, now[key] as unknown])) };
}

async function update(
  provider: CustomProvider,
  asked: messages.UpdateRequest,
): Promise<messages.UpdateResponse> {
  const before = plain(asked.getOlds());
  const inputs = plain(asked.getNews());
  const kept = Object.fromEntries(
    Object.entries(before).filter(([key]) => !(key in plain(asked.getOldInputs()))),
  );
  if (asked.getPreview()) {
    return new messages.UpdateResponse().setProperties(struct({ ...kept, ...inputs }));
  }
  const kind = provider.kind(asked.getType());
  if (!kind.update) {
    throw new Error(`the test provider can't update ${asked.getType()}`);
  }
  const outputs = await kind.update(asked.getId(), inputs, before);
  return new messages.UpdateResponse().setProperties(struct({ ...kept, ...inputs, ...outputs }));
}

function plain(properties: Struct | undefined): Properties {
  return properties?.toJavaScript() ?? {};
}

/** The wire knows no `undefined`. */
function struct(properties: Properties): Struct {
  return Struct.fromJavaScript(JSON.parse(JSON.stringify(properties)) as Properties);
}
