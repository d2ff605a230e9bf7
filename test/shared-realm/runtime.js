const { statSync } = require('node:fs');
const path = require('node:path');
const { default: Runtime } = require('jest-runtime');

/** What is the same for all files of tests that a worker runs. */
const resolved = new Map();
const transformed = new Map();
const scripts = new Map();
const functions = new Map();

const library = path.join(__dirname, '..', '..', 'lib', path.sep);

/**
 * Loads packages once for each worker, as Node.js does, because Jest loads them anew for each file of tests: half of the suite's
 * time. The library and the tests are loaded anew for each file, so that their state is its own, but compiled once.
 * Files that `environment.js` does not run, such as those with `@jest-environment node`, get the runtime of Jest.
 */
class SharedRuntime extends Runtime {
  constructor(config, environment, ...rest) {
    super(config, environment, ...rest);
    if (environment.global !== globalThis) {
      return new Runtime(config, environment, ...rest);
    }
  }

  /** Jest looks up each name a second time, for there may be a mock of it. */
  requireModuleOrMock(from, name) {
    return this._explicitShouldMock.size === 0
      ? this.requireModule(from, name)
      : super.requireModuleOrMock(from, name);
  }

  requireModule(from, name, options, isActual) {
    if (!name || options?.isInternalModule || this._resolver.isCoreModule(name)) {
      return super.requireModule(from, name, options, isActual);
    }
    const key = `${from.slice(0, from.lastIndexOf(path.sep))}\0${name}`;
    const file = resolved.get(key) ?? this._resolveCjsModule(from, name);
    resolved.set(key, file);
    if (/[\\/]node_modules[\\/]/.test(file)) {
      return ofPackage(file);
    }
    const registry = this._isolatedModuleRegistry ?? this._moduleRegistry;
    const loaded = registry.get(file);
    if (loaded) {
      return loaded.exports;
    }
    return file.startsWith(library)
      ? this.ofLibrary(file, registry)
      : super.requireModule(from, name, options, isActual);
  }

  /** What a file of the library exports. Jest gives each one a `require` and a `jest` of many parts, which none of them uses. */
  ofLibrary(file, registry) {
    const folder = path.dirname(file);
    const module = { id: file, filename: file, path: folder, exports: {}, children: [], loaded: false };
    const load = (name) => this.requireModuleOrMock(file, name);
    registry.set(file, module);
    try {
      this.functionOf(file).call(module.exports, module, module.exports, load, folder, file);
    } catch (error) {
      registry.delete(file);
      throw error;
    }
    module.loaded = true;
    return module.exports;
  }

  /** It is looked at once for each file of tests whether a file of the library has changed. */
  functionOf(file) {
    if (!this._fileTransforms.has(file) || !functions.has(file)) {
      const script = this.createScriptFromCode(this.transformFile(file), file);
      functions.set(file, Object.values(script.runInContext())[0]);
    }
    return functions.get(file);
  }

  transformFile(file, options) {
    if (options?.isInternalModule) {
      return super.transformFile(file, options);
    }
    const { mtimeMs, size } = statSync(file);
    const version = `${mtimeMs} ${size}`;
    if (transformed.get(file)?.version !== version) {
      super.transformFile(file, options);
      transformed.set(file, { version, result: this._fileTransforms.get(file) });
    }
    const { result } = transformed.get(file);
    this._fileTransforms.set(file, result);
    this._sourceMapRegistry.set(file, result.sourceMapPath);
    return result.code;
  }

  createScriptFromCode(code, file) {
    if (scripts.get(file)?.code !== code) {
      const script = super.createScriptFromCode(code, file);
      scripts.set(file, { code, runInContext: () => script.runInThisContext() });
    }
    return scripts.get(file);
  }
}

/** Globals that packages make, most of them when they are loaded. */
const globalsOfPackages = new Set(['globalStore']);

function ofPackage(path) {
  if (!require.cache[path]) {
    const before = Reflect.ownKeys(globalThis);
    require(path);
    const made = Reflect.ownKeys(globalThis).filter((key) => !before.includes(key));
    made.forEach((key) => globalsOfPackages.add(key));
  }
  return require.cache[path].exports;
}

module.exports = { __esModule: true, default: SharedRuntime, globalsOfPackages };
