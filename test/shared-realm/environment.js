const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');
const { globalsOfPackages } = require('./runtime.js');

/**
 * Runs files of tests in the realm of their worker, in place of one of its own for each file, so that they can share packages.
 * Globals and `process` are as before when a file is done. A file that needs its own realm begins with `@jest-environment node`.
 */
module.exports = class {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  restore = [keepProperties(globalThis), keepProperties(Object.prototype), keepProcess()];
  exportConditions = () => ['node', 'node-addons'];
  getVmContext = () => globalThis;
  setup = () => undefined;

  constructor({ projectConfig: config }) {
    this.fakeTimersModern = new ModernFakeTimers({ config, global: globalThis });
  }

  teardown() {
    this.fakeTimersModern.dispose();
    this.restore.forEach((each) => each());
    forgetProgram();
  }
};

/** Pulumi keeps a program's state in a global, in which packages also register what they have when they are loaded. */
function forgetProgram() {
  const { constructor: Store, resourcePackages, resourceModules } = globalThis.globalStore ?? {};
  if (resourceModules) {
    globalThis.globalStore = Object.assign(new Store(), { resourcePackages, resourceModules });
  }
}

function keepProcess() {
  const { env, exitCode } = process;
  const [variables, folder] = [{ ...env }, process.cwd()];
  const listeners = new Map(process.eventNames().map((name) => [name, process.rawListeners(name)]));
  const restore = keepProperties(process);
  return () => {
    restore();
    Object.keys(env).forEach((name) => name in variables || delete env[name]);
    Object.assign(env, variables);
    process.exitCode = exitCode;
    process.chdir(folder);
    for (const name of process.eventNames()) {
      const added = process.rawListeners(name).filter((each) => !listeners.get(name)?.includes(each));
      added.forEach((each) => process.removeListener(name, each));
    }
  };
}

/** All but what packages made, and what an EventEmitter keeps of its listeners. */
function keepProperties(object) {
  const before = Object.getOwnPropertyDescriptors(object);
  const isSame = (was, is) => was && is && was.value === is.value && was.get === is.get;
  return () => {
    const now = Object.getOwnPropertyDescriptors(object);
    for (const key of Reflect.ownKeys({ ...now, ...before })) {
      const isFree = globalsOfPackages.has(key) || String(key).startsWith('_');
      if (!isFree && !isSame(before[key], now[key]) && delete object[key] && before[key]) {
        Object.defineProperty(object, key, before[key]);
      }
    }
  };
}
