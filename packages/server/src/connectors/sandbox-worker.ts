import type { QuickJSHandle, QuickJSSyncVariant, QuickJSWASMModule } from 'quickjs-emscripten-core'
import { readFile } from 'node:fs/promises'
import { parentPort } from 'node:worker_threads'
import variant from '@jitl/quickjs-ng-wasmfile-release-sync'
import { newQuickJSWASMModuleFromVariant, newVariant } from 'quickjs-emscripten-core'
import type { CodecLimit, CodecOutcome, CodecUplink } from './sandbox-limits.ts'
import { codecLimits, limitTexts } from './sandbox-limits.ts'

/**
 * Everything that the engine could read from the machine is replaced here: the clock of this thread is the time of the uplink.
 */
let clock = 0
Date.now = () => clock
performance.now = () => 0

/** CPU time of this thread in ms, so that a busy machine stops no codec. */
const spent = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

const port = parentPort!
// Node's types lack WebAssembly.
const { compile } = (globalThis as unknown as { WebAssembly: { compile(program: Uint8Array): Promise<never> } })
  .WebAssembly
const wasm = await readFile(new URL(import.meta.resolve('@jitl/quickjs-ng-wasmfile-release-sync/wasm')))
// The package's types describe its CommonJS build; this is its default export.
const engineVariant = newVariant(variant as unknown as QuickJSSyncVariant, { wasmModule: await compile(wasm) })

/** An instance's memory is used for one tenant only; another tenant's codec runs in a new instance. */
let instance: { tenant: string; engine: QuickJSWASMModule } | undefined

async function engineOf(tenant: string): Promise<QuickJSWASMModule> {
  if (instance?.tenant !== tenant) instance = { tenant, engine: await newQuickJSWASMModuleFromVariant(engineVariant) }
  return instance.engine
}

async function answer(tenant: string, uplink: CodecUplink): Promise<void> {
  try {
    port.postMessage(run(await engineOf(tenant), uplink))
  } catch {
    // The engine itself failed and must not be used again.
    port.postMessage(stopped('memory', 0))
    process.exit(1)
  }
}

/**
 * Runs before the codec, so that it uses nothing that the codec may change. The only clock is the time of the uplink, and there
 * is no randomness. Ends with the function that decodes one uplink and returns the result as JSON.
 */
const prelude = `(() => {
  const RealDate = Date
  const { construct, apply } = Reflect
  const { parse, stringify } = JSON
  const { defineProperty, freeze } = Object
  const RealString = String
  let now = 0
  function FixedDate(...parts) {
    if (new.target === undefined) return RealString(new RealDate(now))
    return construct(RealDate, parts.length ? parts : [now], new.target)
  }
  const hidden = (object, name, value) => defineProperty(object, name, { value, writable: true, configurable: true, enumerable: false })
  hidden(FixedDate, 'now', () => now)
  hidden(FixedDate, 'UTC', RealDate.UTC)
  hidden(FixedDate, 'parse', RealDate.parse)
  FixedDate.prototype = RealDate.prototype
  hidden(RealDate.prototype, 'constructor', FixedDate)
  hidden(globalThis, 'Date', FixedDate)
  delete Math.random
  delete globalThis.performance
  delete globalThis.gc
  return (decode, text) => {
    const { bytes, fPort, recvTime } = parse(text)
    now = recvTime
    const result = apply(decode, undefined, [{ bytes, fPort, recvTime: new FixedDate(recvTime) }])
    if (typeof result !== 'object' || result === null) return undefined
    const { data, warnings, errors } = result
    return stringify({ data, warnings, errors })
  }
})()`

function run(engine: QuickJSWASMModule, { source, bytes, fPort, recvTime }: CodecUplink): CodecOutcome {
  const began = spent()
  const took = () => Math.round((spent() - began) * 10) / 10
  clock = recvTime
  const runtime = engine.newRuntime({ memoryLimitBytes: codecLimits.memory, maxStackSizeBytes: codecLimits.stack })
  let isLate = false
  runtime.setInterruptHandler(() => (isLate ||= spent() - began > codecLimits.time))
  const context = runtime.newContext()
  const handles: QuickJSHandle[] = []
  const failed = (error: QuickJSHandle): CodecOutcome => {
    const text = describe(error)
    if (text.includes('out of memory')) return stopped('memory', took())
    return isLate ? stopped('time', took()) : { warnings: [], errors: [text], took: took() }
  }
  const describe = (error: QuickJSHandle): string => {
    const part = (name: string) => {
      const handle = context.getProp(error, name)
      const value = context.typeof(handle) === 'string' ? context.getString(handle).slice(0, 5000) : ''
      handle.dispose()
      return value
    }
    if (context.typeof(error) !== 'object') return 'The codec failed'
    const line = /codec\.js:(\d+)/.exec(part('stack'))?.[1]
    const message = [part('name'), part('message')].filter(Boolean).join(': ').slice(0, 500) || 'The codec failed'
    return line ? `${message} (line ${line})` : message
  }
  try {
    const decodes = context.evalCode(prelude, 'prelude.js', { type: 'global' })
    if (decodes.error) {
      handles.push(decodes.error)
      return failed(decodes.error)
    }
    handles.push(decodes.value)
    for (const code of [source, "typeof decodeUplink === 'function' ? decodeUplink : undefined"]) {
      const result = context.evalCode(code, code === source ? 'codec.js' : 'find.js', { type: 'global' })
      handles.push(result.error ?? result.value)
      if (result.error) return failed(result.error)
    }
    const decode = handles.at(-1)!
    if (context.typeof(decode) !== 'function')
      return { warnings: [], errors: ['The codec has no function decodeUplink'], took: took() }
    const input = context.newString(JSON.stringify({ bytes: [...bytes], fPort, recvTime }))
    handles.push(input)
    const result = context.callFunction(decodes.value, context.undefined, decode, input)
    handles.push(result.error ?? result.value)
    if (result.error) return failed(result.error)
    // Long operations inside the engine are not interrupted, so the time is checked at the end too.
    if (spent() - began > codecLimits.time) return stopped('time', took())
    if (context.typeof(result.value) !== 'string')
      return { warnings: [], errors: ['decodeUplink returned no object'], took: took() }
    const length = context.getProp(result.value, 'length')
    handles.push(length)
    if (context.getNumber(length) > codecLimits.result) return stopped('result', took())
    const text = context.getString(result.value)
    if (Buffer.byteLength(text) > codecLimits.result) return stopped('result', took())
    return { ...shape(JSON.parse(text)), took: took() }
  } finally {
    for (const handle of handles) if (handle.alive) handle.dispose()
    context.dispose()
    runtime.dispose()
  }
}

function stopped(limit: CodecLimit, took: number): CodecOutcome {
  return { warnings: [], errors: [limitTexts[limit]], limit, took }
}

/** Warnings and errors as lists of texts, whatever the codec returned. */
function shape(result: { data?: unknown; warnings?: unknown; errors?: unknown }): Omit<CodecOutcome, 'took'> {
  const texts = (list: unknown): string[] =>
    (Array.isArray(list) ? list : list === undefined || list === null ? [] : [list])
      .slice(0, 20)
      .map((one) => (typeof one === 'string' ? one : JSON.stringify(one)).slice(0, 500))
  return { data: result.data, warnings: texts(result.warnings), errors: texts(result.errors) }
}

// The first run of a thread compiles the engine: it would count as the time of a tenant's codec.
const nothing = { source: 'function decodeUplink() { return { data: {} } }', bytes: new Uint8Array() }
run(await engineOf(''), { ...nothing, fPort: undefined, recvTime: 0 })
port.postMessage('ready')
port.on('message', ({ tenant, uplink }: { tenant: string; uplink: CodecUplink }) => void answer(tenant, uplink))
