import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'vitest'
import { root } from './child.mjs'
import { codeMap, codeMapFile, codeMapText } from './code-map.ts'

const map = codeMap()

test('docs/code-map.md is what `npm run code-map` writes', () => {
  assert.equal(readFileSync(codeMapFile, 'utf8'), codeMapText(map), 'run npm run code-map')
})

test('the map leads from a page to its file, its calls, their module and its tables', () => {
  const page = map.pages.find(({ paths }) => paths.includes('Alerts'))!
  assert.equal(page.file, 'packages/web/src/features/alerts/alerts-page.tsx')
  assert.ok(page.calls.includes('getAlerts'))
  const module = map.modules.find(({ calls }) => calls.includes('getAlerts'))!
  assert.equal(module.folder, 'features/alerts')
  assert.ok(module.tables.includes('alert') && module.tables.includes('alert_definition'))
})

test('the map has every page component of the router, and a server module for every call', () => {
  const router = readFileSync(path.join(root, 'packages/web/src/router.tsx'), 'utf8')
  const files = [...router.matchAll(/import\('\.\/([^']+)'\)/g)].map(([, file]) => `packages/web/src/${file}`)
  assert.ok(files.length > 20)
  assert.deepEqual(map.pages.map(({ file }) => file).toSorted(), [...new Set(files)].toSorted())
  for (const { file } of map.pages) assert.ok(existsSync(path.join(root, file)), file)
  const served = new Set(map.modules.flatMap(({ calls }) => calls))
  assert.deepEqual(
    map.pages.flatMap(({ calls }) => calls).filter((call) => !served.has(call)),
    [],
  )
})
