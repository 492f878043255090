import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { test } from 'vitest'
import type { AnyRoute } from '@caretaker/contract/route.ts'
import { routes } from '@caretaker/contract/routes.ts'
import { build } from 'vite'
import { contractCalls } from './contract-calls.ts'

const contract = fileURLToPath(new URL('../contract/src/', import.meta.url))

/** The script of a page that takes these names from these modules of the contract, and what it finds in them. */
async function bundled(taken: Record<string, string[]>): Promise<{ code: string; found: Record<string, unknown> }> {
  const lines = Object.entries(taken).map(([file, names]) => `export { ${names.join(', ')} } from '${contract}${file}'`)
  const page = {
    name: 'page',
    resolveId: (id: string) => (id === 'page' ? '\0page' : undefined),
    load: (id: string) => (id === '\0page' ? lines.join('\n') : undefined),
  }
  const built = await build({
    configFile: false,
    logLevel: 'error',
    plugins: [contractCalls(), page],
    build: { write: false, minify: false, rolldownOptions: { input: 'page', preserveEntrySignatures: 'strict' } },
  })
  const [chunk] = 'output' in built ? built.output : []
  assert.ok(chunk?.type === 'chunk')
  const found = (await import(`data:text/javascript,${encodeURIComponent(chunk.code)}`)) as Record<string, unknown>
  return { code: chunk.code, found }
}

const needed = ({ method, path, may, status, file }: AnyRoute) => ({ method, path, may, status, file })

test('a page gets every call with where and how it is sent, and nothing of zod', async () => {
  const taken: Record<string, string[]> = {}
  for (const file of readdirSync(contract).filter((name) => /^(?!routes)[\w-]+\.ts$/.test(name))) {
    const names = Object.keys((await import(contract + file)) as object).filter((name) => name in routes)
    if (names.length > 0) taken[file] = names
  }
  const { code, found } = await bundled(taken)
  assert.deepEqual(Object.keys(found).toSorted(), Object.keys(routes).toSorted())
  for (const [name, route] of Object.entries(routes))
    assert.deepEqual(needed(found[name] as AnyRoute), needed(route), name)
  assert.doesNotMatch(code, /Zod/)
})

test('a page that names a shape gets it as it is written', async () => {
  const { code, found } = await bundled({ 'tags.ts': ['NewAccessRightsTag', 'getTenantTags'] })
  const shape = found.NewAccessRightsTag as { safeParse(value: unknown): { success: boolean } }
  assert.equal(shape.safeParse({}).success, false)
  assert.match(code, /Zod/)
})
