import type * as messages from '@pulumi/pulumi/proto/resource_pb';

/** Runs a transform on a message of the engine, and answers with another. */
type Callback = (request: Uint8Array) => Promise<messages.TransformResponse>;

/** The part of Pulumi's messages that an engine makes for a transform. */
export type TransformMessages = Pick<typeof messages, 'TransformRequest' | 'TransformResourceOptions'>;

/**
 * Runs the transforms of a program on what it registers, in the engine's order: a resource's own, then those of its parents
 * from the nearest on, then those of the stack.
 * @see https://www.pulumi.com/docs/iac/concepts/resources/options/transforms/
 * @see https://github.com/pulumi/pulumi/blob/master/pkg/resource/deploy/source_eval.go
 */
export class Transforms {
  /** By the token that the SDK gave to the callback. */
  public readonly callbacks = new Map<string, Callback>();
  /** Tokens of the stack's transforms, in the order of registration. */
  public readonly ofStack: string[] = [];
  private readonly known = new Map<string, { readonly own: readonly string[]; readonly parent: string }>();

  public constructor(private readonly sdk: TransformMessages) {}

  /**
   * Changes a registration as the transforms ask for.
   *
   * @param urn of what is registered
   * @returns nothing where there is no transform, so that the registration goes on at once
   */
  public run(request: messages.RegisterResourceRequest, urn: string): Promise<void> | undefined {
    const own = request.getTransformsList().map((callback) => callback.getToken());
    this.known.set(urn, { own, parent: request.getParent() });
    const tokens = [...this.from(urn), ...this.ofStack];
    return tokens.length === 0 ? undefined : this.runAll(tokens, request);
  }

  /** Tokens of a resource and of its parents. */
  private from(urn: string): string[] {
    const here = this.known.get(urn);
    return here === undefined ? [] : [...here.own, ...this.from(here.parent)];
  }

  private async runAll(tokens: readonly string[], request: messages.RegisterResourceRequest): Promise<void> {
    for (const token of tokens) {
      const response = await this.callbacks.get(token)!(this.requestFor(request).serializeBinary());
      request.setObject(response.getProperties());
      takeOptions(request, response.getOptions());
    }
  }

  private requestFor(request: messages.RegisterResourceRequest): messages.TransformRequest {
    const message = new this.sdk.TransformRequest();
    message.setType(request.getType());
    message.setName(request.getName());
    message.setCustom(request.getCustom());
    message.setParent(request.getParent());
    message.setProperties(request.getObject());
    message.setOptions(this.optionsOf(request));
    return message;
  }

  private optionsOf(request: messages.RegisterResourceRequest): messages.TransformResourceOptions {
    const options = new this.sdk.TransformResourceOptions();
    options.setDependsOnList(request.getDependenciesList());
    options.setProtect(request.getProtect() ?? false);
    options.setIgnoreChangesList(request.getIgnorechangesList());
    options.setReplaceOnChangesList(request.getReplaceonchangesList());
    options.setVersion(request.getVersion());
    options.setAliasesList(request.getAliasesList());
    options.setProvider(request.getProvider());
    options.setPluginDownloadUrl(request.getPlugindownloadurl());
    options.setRetainOnDelete(request.getRetainondelete() ?? false);
    options.setDeletedWith(request.getDeletedwith());
    options.setDeleteBeforeReplace(request.getDeletebeforereplace());
    options.setAdditionalSecretOutputsList(request.getAdditionalsecretoutputsList());
    options.setHooks(request.getHooks());
    options.setImport(request.getImportid());
    return options;
  }
}

/** What a plan shows of options. */
function takeOptions(
  request: messages.RegisterResourceRequest,
  options: messages.TransformResourceOptions | undefined,
): void {
  if (options === undefined) {
    return;
  }
  request.setDependenciesList(options.getDependsOnList());
  request.setProtect(options.getProtect() ?? false);
  request.setProvider(options.getProvider());
  request.setDeletedwith(options.getDeletedWith());
  request.setAdditionalsecretoutputsList(options.getAdditionalSecretOutputsList());
  request.setHooks(options.getHooks());
  request.setImportid(options.getImport());
}
