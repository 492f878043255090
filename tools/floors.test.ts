import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, test } from 'vitest'
import type { Call } from '@caretaker/contract/call.ts'
import { root, run } from './child.mjs'
import { circles, roomOf } from './circles.ts'
import { breaches, importsOf, sourcesBelow, withoutComments } from './floors.ts'

const breach = (file: string, text: string) => breaches([{ file, text }]).map((line) => line.slice(file.length + 2))
const allowed = (file: string, text: string) => assert.deepEqual(breach(file, text), [])
const forbidden = (file: string, text: string, why: RegExp) => assert.match(breach(file, text).join('\n'), why)

test('all sources respect the package layers', () => {
  const sources = sourcesBelow('packages')
  assert.ok(sources.length > 0)
  assert.deepEqual(breaches(sources), [])
})

test('every form of import is recognised', () => {
  const source = `
    import a from 'one'
    import { b, type C } from "two"
    import type { D } from 'three'
    import {
      e,
    } from 'four'
    import 'five'
    export * from 'six'
    export { f } from 'seven'
    const g = await import('eight')
    import * as h from 'nine'
    import{i}from 'ten'
    type J = import('eleven').J
    // import 'never'
    /* import 'never' */
    export const text = 'import x from y'`
  const expected = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven']
  assert.deepEqual(importsOf(withoutComments(source)).sort(), expected.sort())
})

test('packages import only lower layers', () => {
  forbidden(
    'packages/rules/src/a.ts',
    `import { x } from '@caretaker/contract/route.ts'`,
    /rules must not import @caretaker\/contract/,
  )
  forbidden(
    'packages/contract/src/a.ts',
    `import type { x } from '@caretaker/server/app.ts'`,
    /contract must not import/,
  )
  forbidden('packages/server/src/a.ts', `export * from '@caretaker/web/main.tsx'`, /server must not import/)
  forbidden('packages/server/src/a.test.ts', `import('@caretaker/demo/seed.ts')`, /server must not import/)
  forbidden('packages/web/src/a.ts', `import { x } from '@caretaker/demo/fixtures.ts'`, /web must not import/)
  forbidden('packages/demo/src/a.ts', `import { x } from '@caretaker/simulator/fleet.ts'`, /demo must not import/)
  forbidden('packages/web/src/a.tsx', `import('@caretaker/simulator/fleet.ts')`, /web must not import/)
  forbidden('packages/simulator/src/a.ts', `import { x } from '@caretaker/server/app.ts'`, /simulator must not import/)
  forbidden('packages/e2e/a.spec.ts', `import { x } from '@caretaker/server/app.ts'`, /e2e must not import/)
  forbidden('packages/e2e/a.spec.ts', `import { x } from '@caretaker/demo/seed.ts'`, /e2e must not import/)
  allowed('packages/e2e/a.spec.ts', `import { x } from '@caretaker/demo/fixtures.ts'`)
  forbidden('packages/simulator/src/a.ts', `import { x } from '../../server/src/app.ts'`, /leaves the package/)
  forbidden('packages/server/src/a.ts', `import { x } from '../../rules/src/devices/status.ts'`, /leaves the package/)
  allowed('packages/contract/src/a.ts', `import { x } from '@caretaker/rules/devices/status.ts'`)
  allowed('packages/demo/src/a.ts', `import { x } from '@caretaker/server/config.ts'`)
  allowed('packages/bench/src/a.ts', `import { x } from '@caretaker/demo/seed.ts'`)
  allowed('packages/server/src/a.ts', `import { x } from '@caretaker/contract/route.ts'\nimport pg from 'pg'`)
  allowed('packages/e2e/playwright.config.ts', `import { chromiumPath } from '../../tools/chromium.mjs'`)
})

test('the lower layers have almost no external dependencies', () => {
  forbidden('packages/rules/src/a.ts', `import { z } from 'zod'`, /the package zod/)
  forbidden('packages/rules/src/a.ts', `import { readFileSync } from 'node:fs'`, /the package node:fs/)
  forbidden('packages/rules/src/a.ts', `import fc from 'fast-check'`, /the package fast-check/)
  forbidden('packages/contract/src/a.ts', `import Fastify from 'fastify'`, /the package fastify/)
  allowed(
    'packages/rules/src/a.test.ts',
    `import assert from 'node:assert/strict'\nimport fc from 'fast-check'\nimport { x } from './a.ts'`,
  )
  allowed('packages/contract/src/a.ts', `import { z } from 'zod'\nimport type { $ZodType } from 'zod/v4/core'`)
})

test('rules are pure', () => {
  for (const word of [
    'Date.now()',
    'new Date()',
    'Math.random()',
    'async () => 1',
    'setTimeout(f, 1)',
    'console.log(1)',
  ]) {
    forbidden('packages/rules/src/a.ts', `export const x = ${word}`, /rules know no clock/)
  }
  allowed(
    'packages/rules/src/a.ts',
    `/** Ask Date.now() elsewhere. */ export const x = (now: Date) => [now, new Date(0), 'await nobody']`,
  )
})

test('features of the web do not import each other, and ui imports none', () => {
  const feature = 'packages/web/src/features/boilers/boilers-page.tsx'
  forbidden(feature, `import { x } from '../lighting/queries.ts'`, /boilers must not import feature lighting/)
  forbidden(
    'packages/web/src/features/boilers/parts/card.tsx',
    `import { x } from '../../lighting/queries.ts'`,
    /must not import feature/,
  )
  allowed(
    feature,
    `import { x } from './queries.ts'\nimport { y } from '../../ui/chip.tsx'\nimport { z } from '../../api/client.ts'`,
  )
  for (const room of ['features/boilers', 'api', 'shell']) {
    forbidden('packages/web/src/ui/chip.tsx', `import { x } from '../${room}/x.ts'`, /ui must not import/)
  }
  allowed('packages/web/src/ui/chip.tsx', `import { x } from './theme.ts'`)
  allowed('packages/web/src/router.tsx', `import { x } from './features/boilers/boilers-page.tsx'`)
})

test('device actions are a layer between calls and features', () => {
  const menu = 'packages/web/src/actions/row-menu.tsx'
  for (const room of ['features/boilers', 'shell'])
    forbidden(menu, `import { x } from '../${room}/x.ts'`, /actions must not import/)
  forbidden('packages/web/src/api/call.ts', `import { x } from '../actions/x.ts'`, /api must not import actions/)
  forbidden('packages/web/src/ui/chip.tsx', `import { x } from '../actions/x.ts'`, /ui must not import actions/)
  allowed(menu, `import { x } from '../api/call.ts'\nimport { y } from '../ui/dialog.tsx'`)
  allowed('packages/web/src/features/boilers/boilers-page.tsx', `import { x } from '../../actions/row-menu.tsx'`)
  allowed('packages/web/src/shell/shell.tsx', `import { x } from '../actions/action-host.tsx'`)
})

test('the listing engine imports neither features nor actions, and no subject', () => {
  const list = 'packages/web/src/lists/list-view.tsx'
  for (const room of ['features/devices', 'actions', 'shell'])
    forbidden(list, `import { x } from '../${room}/x.ts'`, /lists must not import/)
  forbidden(
    'packages/web/src/lists/views/view-bar.tsx',
    `import { x } from '../../actions/x.ts'`,
    /lists must not import/,
  )
  forbidden(list, `import { listings } from '@caretaker/rules/devices/list.ts'`, /know no subject/)
  forbidden(list, `import type { DeviceRow } from '@caretaker/contract/devices.ts'`, /know no subject/)
  for (const room of ['api', 'ui', 'actions'])
    forbidden(`packages/web/src/${room}/x.ts`, `import { x } from '../lists/list-view.tsx'`, /must not import lists/)
  allowed(list, `import { x } from '../api/call.ts'\nimport { y } from '../ui/pager.tsx'`)
  allowed(list, `import type { List } from '@caretaker/rules/lists/list.ts'`)
  allowed('packages/web/src/lists/a.test.ts', `import { listings } from '@caretaker/rules/devices/list.ts'`)
  allowed('packages/web/src/features/devices/list/a.tsx', `import { x } from '../../../lists/list-page.tsx'`)
})

test('the environment is read in one place', () => {
  forbidden('packages/server/src/http/a.ts', `const port = process.env.PORT`, /environment/)
  forbidden('packages/server/src/http/a.ts', `const { PORT } = process.env`, /environment/)
  forbidden('packages/simulator/src/fleet.ts', `process.env['SPEED']`, /environment/)
  for (const place of [
    'packages/server/src/config.ts',
    'packages/simulator/src/main.ts',
    'packages/bench/src/ingest.ts',
  ]) {
    allowed(place, `const port = process.env.PORT`)
  }
  allowed(
    'packages/server/src/main.ts',
    `const config = readConfig(process.env)\nspawn(x, [], { env: { ...process.env, A: '1' } })`,
  )
  allowed('packages/server/src/postgres/a.ts', `const env = { PATH: process.env.PATH }`)
  forbidden('packages/server/src/postgres/a.ts', `const env = { PORT: process.env.PGPORT }`, /environment/)
})

test('paths of calls are written only in the contract', () => {
  forbidden('packages/web/src/features/boilers/queries.ts', `fetch('/api/GetBoilers')`, /path strings/)
  forbidden('packages/server/src/features/boilers/routes.ts', 'app.get(`${origin}/api/GetBoilers`)', /path strings/)
  allowed(
    'packages/web/src/features/boilers/queries.ts',
    `// answers /api/GetBoilers\nimport { call } from '../../api/call.ts'`,
  )
  allowed('packages/contract/src/boilers.ts', `route({ path: '/api/GetBoilers' })`)
})

test('pages import calls without their shapes, and shapes only by name', () => {
  const page = 'packages/web/src/features/boilers/queries.ts'
  const calls = '@caretaker/contract/calls/boilers.ts'
  const shapes = '@caretaker/contract/boilers.ts'
  forbidden(page, `import { getBoiler } from '${shapes}'`, /take getBoiler from contract\/calls/)
  forbidden(page, `import { Boiler, getBoiler as get } from '${shapes}'`, /take getBoiler from contract\/calls/)
  forbidden(page, `import * as boilers from '${shapes}'`, /pages import shapes alone/)
  forbidden(page, `export { getBoiler } from '${shapes}'`, /pages import shapes alone/)
  allowed(page, `import { getBoiler } from '${calls}'\nimport { line } from '@caretaker/contract/scalars.ts'`)
  allowed(page, `import { Boiler } from '${shapes}'\nimport type { getBoiler } from '${shapes}'`)
  allowed('packages/web/src/api/call.test.ts', `import { routes } from '@caretaker/contract/routes.ts'`)
  allowed('packages/server/src/features/boilers/routes.ts', `import { getBoiler } from '${shapes}'`)
  for (const module of ['calls/boilers.ts', 'call.ts', 'route.ts', 'error-texts.ts']) {
    const file = `packages/contract/src/${module}`
    const up = module.startsWith('calls/') ? '..' : '.'
    forbidden(file, `import { z } from 'zod'`, /would load zod/)
    forbidden(file, `import { text } from '${up}/scalars.ts'`, /would load zod/)
    forbidden(file, `export * from '${up}/boilers.ts'`, /would load zod/)
    allowed(file, `import type { $ZodType } from 'zod/v4/core'\nimport { isVersion1 } from '${up}/route.ts'`)
    allowed(file, `import { can } from '@caretaker/rules/rights/can.ts'`)
  }
})

test('every call of the contract has a route of its name that adds the shapes, and every route has a call', async () => {
  const folder = path.join(root, 'packages/contract/src')
  type Declared = Record<string, Partial<Call> | undefined>
  const { routes } = (await import(path.join(folder, 'routes.ts'))) as { routes: Declared }
  const sentTo = ({ method, path, may, file }: Partial<Call> = {}) => ({ method, path, may, file })
  const found: string[] = []
  for (const file of readdirSync(path.join(folder, 'calls'))) {
    const calls = Object.entries((await import(path.join(folder, 'calls', file))) as Declared)
    for (const [name, call] of calls.filter(([, value]) => value?.path !== undefined)) {
      assert.deepEqual(sentTo(routes[name]), sentTo(call), `${name} in ${file}`)
      found.push(name)
    }
  }
  assert.deepEqual(found.toSorted(), Object.keys(routes).toSorted())
})

test('there are no circular imports between files or modules', () => {
  assert.deepEqual(circles(sourcesBelow('packages')), [])
})

const circlesOf = (sources: Record<string, string>) =>
  circles(Object.entries(sources).map(([file, text]) => ({ file, text }))).map((circle) => circle.split('\n')[0])

test('circular imports between files are reported, for every kind of import', () => {
  const a = 'packages/web/src/ui/a.tsx'
  const b = 'packages/web/src/ui/b.tsx'
  for (const back of [
    `import { a } from './a.tsx'`,
    `import type { A } from './a.tsx'`,
    `export * from './a.tsx'`,
    `const a = await import('./a.tsx')`,
  ])
    assert.deepEqual(circlesOf({ [a]: `import { b } from './b.tsx'`, [b]: back }), [`${a} → ${b} → ${a}`], back)
  assert.deepEqual(circlesOf({ [a]: `import { b } from './b.tsx'`, [b]: `// import { a } from './a.tsx'` }), [])
  assert.deepEqual(circlesOf({ [a]: `import { a } from './a.tsx'` }), [`${a} → ${a}`])
})

test('the linter rejects circular imports too, including type imports', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'caretaker-lint-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const lint = async (back: string) => {
    writeFileSync(path.join(folder, 'a.ts'), `import { b } from './b.ts'\n\nexport const a: number = b\n`)
    writeFileSync(path.join(folder, 'b.ts'), back)
    const oxlint = path.join(root, 'node_modules', 'oxlint', 'bin', 'oxlint')
    const args = [oxlint, '-c', path.join(root, '.oxlintrc.json'), folder]
    return run(process.execPath, args, { capture: true })
  }
  assert.equal((await lint(`export const b = 1\n`)).code, 0)
  const { code, output } = await lint(`import type { a } from './a.ts'\n\nexport const b: typeof a = 1\n`)
  assert.equal(code, 1)
  assert.match(output, /no-cycle/)
})

test('circular imports between modules are reported, even if no two of their files form a circle', () => {
  const circle = (sources: Record<string, string>, ...rooms: string[]) =>
    assert.deepEqual(circlesOf(sources), [rooms.join(' → ')])
  const imports = (path: string) => `import type { x } from '${path}'`
  circle(
    {
      'packages/rules/src/views/a.ts': imports('../identity/b.ts'),
      'packages/rules/src/identity/c.ts': imports('../devices/d.ts'),
      'packages/rules/src/devices/e.ts': imports('../views/f.ts'),
      'packages/rules/src/identity/b.ts': '',
      'packages/rules/src/devices/d.ts': '',
      'packages/rules/src/views/f.ts': '',
    },
    'rules/devices',
    'rules/views',
    'rules/identity',
    'rules/devices',
  )
  circle(
    {
      'packages/server/src/http/serve.ts': imports('../features/session/store.ts'),
      'packages/server/src/features/session/routes.ts': imports('../../http/access.ts'),
      'packages/server/src/features/session/store.ts': '',
      'packages/server/src/http/access.ts': '',
    },
    'server/features/session',
    'server/http',
    'server/features/session',
  )
  circle(
    {
      'packages/server/src/features/views/a.ts': imports('../listings/b.ts'),
      'packages/server/src/features/listings/c.ts': imports('../views/d.ts'),
      'packages/server/src/features/listings/b.ts': '',
      'packages/server/src/features/views/d.ts': '',
    },
    'server/features/listings',
    'server/features/views',
    'server/features/listings',
  )
  // A file directly in `src` is a module of its own: any module may import it, as long as it imports none of them.
  const context = 'packages/server/src/context.ts'
  const file = { 'packages/server/src/files/store.ts': imports('../context.ts') }
  assert.deepEqual(circlesOf({ ...file, [context]: '' }), [])
  circle(
    { ...file, [context]: imports('./files/disk.ts'), 'packages/server/src/files/disk.ts': '' },
    'server/context.ts',
    'server/files',
    'server/context.ts',
  )
})

test('tests may import any module, and packages are not modules of each other', () => {
  const sources = {
    'packages/web/src/api/a.test.ts': `import { x } from '../ui/b.ts'`,
    'packages/web/src/ui/c.ts': `import { x } from '../api/d.ts'`,
    'packages/web/src/ui/b.ts': '',
    'packages/web/src/api/d.ts': `import { x } from '@caretaker/contract/ui.ts'`,
  }
  assert.deepEqual(circlesOf(sources), [])
  const rooms = ['features/views/parts/a.tsx', 'ui/table/a.tsx', 'main.tsx'].map((file) => `packages/web/src/${file}`)
  assert.deepEqual(rooms.map(roomOf), ['web/features/views', 'web/ui', 'web/main.tsx'])
})
