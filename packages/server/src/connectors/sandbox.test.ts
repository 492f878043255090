import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, test } from 'vitest'
import type { CodecOutcome } from './sandbox-limits.ts'
import { createSandbox } from './sandbox.ts'

const sandbox = createSandbox()
afterAll(() => sandbox.close())
const recvTime = Date.parse('2026-11-28T14:02:00Z')
const decode = (source: string, { tenant = 'north', bytes = [1, 92, 2, 40], fPort = 10 as number | undefined } = {}) =>
  sandbox.decode(tenant, { source, bytes: Uint8Array.from(bytes), fPort, recvTime })
const returning = (body: string) => `function decodeUplink(input) { ${body} }`
const data = async (body: string) => {
  const outcome = await decode(returning(`return { data: ${body} }`))
  assert.deepEqual(outcome.errors, [])
  return outcome.data
}

const valve = `// Valve position in %, leak, battery in V
function decodeUplink({ bytes, fPort }) {
  if (fPort !== 10) {
    return { errors: ['Unexpected port ' + fPort] };
  }
  const data = {}, warnings = [];
  let i = 0;
  while (i < bytes.length) {
    const type = bytes[i];
    if (type === 0x01) { data.battery = bytes[i + 1] / 10; i += 2; }
    else if (type === 0x02) { data.position = bytes[i + 1]; i += 2; }
    else { warnings.push('Unknown type ' + type); break; }
  }
  return { data, warnings };
}`

test('a codec with the signature of TS013 decodes an uplink, with warnings and errors', async () => {
  const { took, ...outcome } = await decode(valve)
  assert.deepEqual(outcome, { data: { battery: 9.2, position: 40 }, warnings: [], errors: [] })
  assert.ok(took >= 0)
  assert.deepEqual((await decode(valve, { bytes: [2, 40, 9] })).warnings, ['Unknown type 9'])
  assert.deepEqual((await decode(valve, { fPort: 2 })).errors, ['Unexpected port 2'])
})

test('bytes are numbers in an array, and the only clock is the time of the uplink', async () => {
  const found = await data(
    `{ isArray: Array.isArray(input.bytes), port: input.fPort, at: input.recvTime.toISOString(), now: Date.now(), made: +new Date(),
      text: Date() === String(new Date(Date.now())), real: new Date(5).constructor.now(), other: +new (Object.getPrototypeOf(new Date(5)).constructor)(),
      kind: input.recvTime instanceof Date }`,
  )
  assert.deepEqual(found, {
    ...{ isArray: true, port: 10, at: '2026-11-28T14:02:00.000Z', now: recvTime, made: recvTime, text: true },
    ...{ real: recvTime, other: recvTime, kind: true },
  })
})

test('the error of a failed codec names its line, and a missing function is reported', async () => {
  assert.deepEqual((await decode(`\n\n${returning('return missing.value')}`)).errors, [
    'ReferenceError: missing is not defined (line 3)',
  ])
  assert.match((await decode('function decodeUplink( {')).errors[0]!, /^SyntaxError: .+ \(line 1\)$/)
  assert.deepEqual((await decode('const x = 1')).errors, ['The codec has no function decodeUplink'])
  assert.deepEqual((await decode('const decodeUplink = () => ({ data: { a: 1 } })')).data, { a: 1 })
})

test('a source and a result up to their limits are accepted', async () => {
  const large = await decode(`${valve}\n//${'x'.repeat(40 * 1024)}`)
  assert.deepEqual([large.errors, large.limit], [['Source larger than 40 kB'], 'source'])
  const filled = `${valve}\n//`
  assert.deepEqual((await decode(filled.padEnd(40 * 1024, 'x'))).errors, [])
  assert.deepEqual((await decode(returning("return { data: 'x'.repeat(65000) }"))).errors, [])
  assert.equal((await decode(returning("return { data: 'é'.repeat(33000) }"))).limit, 'result')
})

const stoppedBy = {
  time: 'Stopped after 50 ms',
  memory: 'Stopped: more than 16 MB',
  result: 'Result larger than 64 kB',
} as const
/** Each of them ends at a limit, with an error of its own, or with nothing but its own data. */
const hostile: Readonly<
  Record<string, [source: string, end: keyof typeof stoppedBy | 'limit' | 'error' | 'harmless']>
> = {
  'an endless loop': [returning('while (true);'), 'time'],
  'an endless loop at the top': ['while (true);', 'time'],
  'an endless loop in catch and finally': [
    returning('while (true) try { while (true); } catch {} finally { while (true); }'),
    'time',
  ],
  'an endless recursion': [returning('return decodeUplink(input)'), 'error'],
  'an endless recursion that is caught': [returning('for (;;) try { decodeUplink(input) } catch {}'), 'time'],
  'an endless recursion of getters': [
    returning('const o = { get a() { return this.a } }; return { data: o }'),
    'error',
  ],
  'an endless recursion in toJSON': [returning('return { data: { toJSON() { return { a: this } } } }'), 'error'],
  'an array that fills the memory': [
    returning('const a = []; while (true) a.push("x".repeat(1e6) + a.length)'),
    'limit',
  ],
  'objects that fill the memory': [returning('let o = {}; for (let i = 0; ; i++) o = { o, ["key" + i]: i }'), 'limit'],
  'a buffer that is too large': [returning('return { data: new Uint8Array(1e9).length }'), 'memory'],
  'an array with a huge length': [returning('return { data: new Array(4294967295).fill(0).length }'), 'limit'],
  'a huge string': [returning('return { data: "x".repeat(20e6) }'), 'memory'],
  'a string that doubles': [returning('let s = "x"; while (true) s += s'), 'error'],
  'a string that is padded': [returning('return { data: "x".padStart(2 ** 29) }'), 'memory'],
  'a replacement that explodes': [returning('return { data: "a".repeat(1e5).replace(/a/g, "$`") }'), 'limit'],
  'a regular expression that backtracks': [returning('return { data: /^(a+)+$/.test("a".repeat(40) + "b") }'), 'time'],
  'a regular expression with a nested group': [returning('return { data: /(x+x+)+y/.test("x".repeat(60)) }'), 'time'],
  'a regular expression with a back reference': [
    returning('return { data: /^(.*?)*\\1$/.test("ab".repeat(40) + "!") }'),
    'time',
  ],
  'a regular expression that is too deep': [returning('return { data: new RegExp("(".repeat(1e5)).source }'), 'error'],
  'a split that backtracks': [returning('return { data: ("a".repeat(50) + "!").split(/(a*)*b/) }'), 'time'],
  'a sort that never ends': [
    returning('return { data: Array.from({ length: 1e5 }, (_, i) => i).sort(() => { while (true); }) }'),
    'time',
  ],
  'a number of many digits': [returning('return { data: String(7n ** (10n ** 6n)).length }'), 'error'],
  'a big integer that is too big': [returning('return { data: String(2n ** (2n ** 40n)) }'), 'error'],
  'a result that is too large': [returning('return { data: Array.from({ length: 1e5 }, () => 1) }'), 'result'],
  'many warnings': [returning('return { data: 1, warnings: Array(1e5).fill("w") }'), 'result'],
  'a result that is too deep': [
    returning('let d = []; for (let i = 0; i < 1e5; i++) d = [d]; return { data: d }'),
    'error',
  ],
  'a result in a circle': [returning('const d = {}; d.d = d; return { data: d }'), 'error'],
  'a getter on the result that loops': [returning('return { get data() { while (true); } }'), 'time'],
  'a getter on the result that throws': [returning('return { get data() { throw new Error("no") } }'), 'error'],
  'a getter that throws a getter': [
    returning('throw { get message() { while (true); }, get stack() { while (true); } }'),
    'error',
  ],
  'a proxy as the result': [returning('return new Proxy({}, { get() { while (true); } })'), 'time'],
  'a proxy with endless keys': [returning('return { data: new Proxy({}, { ownKeys() { while (true); } }) }'), 'time'],
  'a proxy that lies about its keys': [
    returning(
      'return { data: new Proxy({}, { ownKeys: () => Array.from({ length: 1e5 }, (_, i) => "k" + i), getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }) }) }',
    ),
    'limit',
  ],
  'toJSON that loops': [returning('return { data: { toJSON() { while (true); } } }'), 'time'],
  'a valueOf that loops': [returning('return { data: 1 + { valueOf() { while (true); } } }'), 'time'],
  'a generator that never ends': [
    returning('function* f() { while (true) yield 1 } return { data: [...f()] }'),
    'limit',
  ],
  'a generator as the codec': ['function* decodeUplink() { while (true) yield 1 }', 'harmless'],
  'an async codec': ['async function decodeUplink() { while (true) await 0 }', 'harmless'],
  'a promise that never ends': [
    returning('return Promise.resolve().then(function again() { return Promise.resolve().then(again) })'),
    'harmless',
  ],
  'a thenable': [returning('return { then() { while (true); } }'), 'harmless'],
  'a tampered JSON': [
    `JSON.stringify = () => { while (true); }; JSON.parse = () => ({}); ${returning('return { data: 1 }')}`,
    'harmless',
  ],
  'a tampered prototype': [
    `Object.prototype.data = 'polluted'; Array.prototype.push = () => { while (true); }; String.prototype.toString = null; ${returning('return {}')}`,
    'harmless',
  ],
  'a tampered Reflect and Function': [
    `Reflect.apply = Function.prototype.call = Function.prototype.apply = () => { while (true); }; ${returning('return { data: 1 }')}`,
    'harmless',
  ],
  'a setter on the prototype': [
    `Object.defineProperty(Object.prototype, 'data', { set() { while (true); }, get() { return 1 } }); ${returning('return {}')}`,
    'harmless',
  ],
  '__proto__ as a key': [
    returning(
      'return { data: JSON.parse(\'{"__proto__": {"isAdmin": true}, "constructor": {"prototype": {"isAdmin": true}}}\') }',
    ),
    'harmless',
  ],
  'eval and Function': [
    returning('return { data: [eval("1 + 1"), new Function("return this.process")() === undefined] }'),
    'harmless',
  ],
  'a dynamic import': [returning('import("node:fs"); return { data: 1 }'), 'harmless'],
  'a static import': ["import fs from 'node:fs'; export function decodeUplink() {}", 'error'],
  require: [returning('return { data: require("node:child_process") }'), 'error'],
  'the process': [returning('return { data: process.env }'), 'error'],
  'the escape through a constructor': [
    returning('return { data: this.constructor.constructor("return process")().mainModule }'),
    'error',
  ],
  'a finalizer': [
    returning('new FinalizationRegistry(() => { while (true); }).register({}, 1); return { data: 1 }'),
    'harmless',
  ],
  'a lock on shared memory': [
    returning('Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); return { data: 1 }'),
    'error',
  ],
  'a timer': [returning('setTimeout(() => { while (true); }); return { data: 1 }'), 'error'],
  'a throw of nothing': [returning('throw undefined'), 'error'],
  'a throw of a huge text': [returning('throw new Error("x".repeat(1e6))'), 'error'],
  'errors that are no texts': [returning('return { errors: [{}, 1, null, () => 1], warnings: 5 }'), 'error'],
  'labels and switch': [returning('a: for (;;) { switch (1) { default: continue a } }'), 'time'],
}

test('there are at least 40 hostile codecs', () => {
  assert.ok(Object.keys(hostile).length >= 40)
})

test.each(Object.entries(hostile))('%s escapes nothing', async (_, [source, end]) => {
  const { limit, errors, warnings, data: found }: CodecOutcome = await decode(source, { tenant: 'hostile' })
  if (end === 'time' || end === 'memory' || end === 'result')
    assert.deepEqual([limit, errors, found], [end, [stoppedBy[end]], undefined])
  // Which of two limits a codec reaches first depends on the machine.
  else if (end === 'limit') assert.deepEqual([errors, found], [[stoppedBy[limit as keyof typeof stoppedBy]], undefined])
  else if (end === 'error') assert.ok(errors.length >= 1 && errors.every((one) => one.length <= 600), errors.join())
  else assert.deepEqual([limit, errors.filter((one) => !/returned no/.test(one))], [undefined, []])
  assert.ok(JSON.stringify([found ?? null, warnings]).length < 70_000)
  assert.equal(({} as { isAdmin?: boolean; data?: string }).isAdmin ?? ({} as { data?: string }).data, undefined)
  // The same tenant's next message is decoded as usual.
  assert.deepEqual((await decode(valve, { tenant: 'hostile' })).data, { battery: 9.2, position: 40 })
})

test('a codec has no access to the machine', async () => {
  const names = [
    'process',
    'require',
    'module',
    'globalThis.performance',
    'fetch',
    'setTimeout',
    'console',
    'WebAssembly',
  ]
  const kinds = await data(
    `[${[...names, 'Math.random', 'gc', 'std', 'os', 'scriptArgs', 'print'].map((one) => `typeof ${one}`).join()}]`,
  )
  assert.deepEqual(new Set(kinds as string[]), new Set(['undefined']))
})

test('no state remains from one message to the next', async () => {
  await decode(`globalThis.seen = 1; Array.prototype.seen = 2; ${returning('return { data: 1 }')}`)
  assert.deepEqual(await data('[typeof seen, [].seen ?? null]'), ['undefined', null])
})

test('a looping codec of one tenant delays no message of another', async () => {
  const loops = Promise.all(Array.from({ length: 20 }, () => decode(returning('while (true);'), { tenant: 'hostile' })))
  let isOver = false
  void loops.then(() => (isOver = true))
  for (let count = 0; count < 10; count++) assert.deepEqual((await decode(valve)).errors, [])
  assert.equal(isOver, false)
  assert.ok((await loops).every(({ limit }) => limit === 'time'))
})

test('tenants share fewer threads in turn, each with its own codec', async () => {
  const tenants = Array.from({ length: 12 }, (_, at) => `tenant ${at}`)
  const all = await Promise.all(
    tenants.flatMap((tenant) =>
      [1, 2, 3].map((byte) =>
        decode(returning(`return { data: ['${tenant}', input.bytes[0]] }`), { tenant, bytes: [byte] }),
      ),
    ),
  )
  assert.deepEqual(
    all.map(({ data: found }) => found),
    tenants.flatMap((tenant) => [1, 2, 3].map((byte) => [tenant, byte])),
  )
})

test('too many waiting messages of a tenant are refused, and a thread that hangs is replaced', async () => {
  const small = createSandbox({ threads: 1, waiting: 2, hang: 1 })
  const run = (tenant: string) =>
    small.decode(tenant, { source: returning('while (true);'), bytes: Uint8Array.of(1), fPort: 1, recvTime })
  const outcomes = await Promise.all([run('north'), run('north'), run('north'), run('north')])
  assert.deepEqual(
    outcomes.map(({ limit }) => limit),
    ['time', 'time', 'time', 'queue'],
  )
  const waits = run('south')
  await wait(1)
  await small.close()
  assert.ok((await waits).limit)
  assert.equal((await run('south')).limit, 'queue')
})
