import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { spawnSync } from 'node:child_process'
import { test } from 'vitest'
import { stateTable } from '@caretaker/rules/messages/state-documentation.ts'
import { metrics } from '@caretaker/rules/telemetry/metrics.ts'
import { node24, nodeFlags } from './install.mjs'
import { childEnv, root } from './child.mjs'
import { documents } from './prose.ts'

const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}

/** Names in a document that do not exist: commands of package.json, files of the repository, and links. */
function missing(file: string, text: string, exists: (target: string) => boolean): string[] {
  const commands = [...text.matchAll(/\bnpm (?:run (?:--silent |-s )?([\w:-]+)|(start|test)\b)/g)].map(
    (match) => match[1] ?? match[2]!,
  )
  const unknown = commands.filter((name) => !(name in scripts)).map((name) => `${file}: npm run ${name}`)
  const links = [...text.matchAll(/\]\(<?([^)\s>]+)>?[^)]*\)/g)]
    .map((match) => match[1]!.split('#')[0]!)
    .filter((target) => target !== '' && !/^[a-z][a-z+.-]*:/i.test(target))
    .map((target) => path.posix.join(path.posix.dirname(file), decodeURI(target)))
  // Paths in text and commands are relative to the repository's root; a path with a placeholder names no file.
  const paths = [
    ...text.matchAll(/(?<![\w/.@-])(?:\.\/)?((?:packages|docs|tools|spec|deploy|\.ci)\/[^\s`'")\],;:|]*)/g),
  ]
    .map((match) => match[1]!.replace(/[.]$/, '').split('#')[0]!)
    .filter((target) => !/[<>{}*$…]/.test(target))
  const lost = [...new Set([...links, ...paths])]
    .filter((target) => !exists(target))
    .map((target) => `${file}: ${target}`)
  return [...unknown, ...lost]
}

test('every command, path and link in the documents exists', () => {
  const lost = documents().flatMap((file) => {
    if (!existsSync(path.join(root, file))) return [`${file} itself`]
    return missing(file, readFileSync(path.join(root, file), 'utf8'), (target) => existsSync(path.join(root, target)))
  })
  assert.deepEqual(lost, [])
})

test('missing targets are found in links, text and commands', () => {
  const text = `Run \`npm run nothing\` or \`npm start\`, read [this](guides/gone.md#part), see \`packages/gone/a.ts\` and tools/gone.mjs.
    Fine: [there](https://example.org/x), [here](#below), packages/{rules,contract}/src, tools/check.mjs.`
  const found = missing('docs/page.md', text, (target) => target === 'tools/check.mjs')
  assert.deepEqual(found, [
    'docs/page.md: npm run nothing',
    'docs/page.md: docs/guides/gone.md',
    'docs/page.md: packages/gone/a.ts',
    'docs/page.md: tools/gone.mjs',
  ])
})

/** The operator commands in a document, one per line, each with its words and its options. */
function operatorCommands(text: string): { words: string[]; options: string[] }[] {
  const commandLines = [...text.matchAll(/(?:npm run caretaker --|docker compose run --rm migrate) ([^\n`|]+)/g)].map(
    ([, line]) => line!,
  )
  return commandLines.map((line) => {
    const parts = line.replaceAll(/"[^"]*"/g, 'TEXT').split(/\s+/)
    const end = parts.findIndex((part) => !/^[a-z][a-z-]*$/.test(part))
    return {
      words: (end < 0 ? parts : parts.slice(0, end)).slice(0, 2),
      options: parts.flatMap((part) => /^--[a-z][a-z-]*/.exec(part)?.[0] ?? []),
    }
  })
}

test('the operator commands in the documents exist, with these options', () => {
  const commandLines = documents().flatMap((file) => operatorCommands(readFileSync(path.join(root, file), 'utf8')))
  assert.ok(commandLines.length > 10)
  const helps = new Map<string, string>()
  const help = (words: string[]) => {
    const key = words.join(' ')
    if (!helps.has(key)) {
      const cli = path.join(root, 'packages/server/src/cli/main.ts')
      const { stdout, status, stderr } = spawnSync(node24(), [...nodeFlags, cli, ...words, '--help'], {
        encoding: 'utf8',
        env: childEnv(),
      })
      assert.equal(status, 0, stderr)
      helps.set(key, stdout)
    }
    return helps.get(key)!
  }
  for (const { words, options } of commandLines) {
    const text = help(words)
    const usage = /Usage: caretaker ([a-z -]*)/.exec(text)?.[1]?.trim() ?? ''
    assert.ok(words.length === 0 || usage.startsWith(words[0]!), `${words.join(' ')}: ${text}`)
    for (const option of options)
      if (option !== '--help') assert.ok(new RegExp(`${option}\\b`).test(text), `${words.join(' ')} ${option}`)
  }
})

test('the device documentation lists every measurement with unit and range', () => {
  const rows = Object.entries(metrics).map(
    ([key, { label, unit, min, max, products }]) =>
      `| \`${key}\` | ${label} | ${unit} | ${min} to ${max} | ${products.join(', ')} |`,
  )
  const section = readFileSync(path.join(root, 'docs/device-link.md'), 'utf8')
    .split('## What can be measured')[1]!
    .split('\n## ')[0]!
  assert.deepEqual(
    section.split('\n').filter((line) => line.startsWith('| `')),
    rows,
  )
})

test('the device documentation lists every field of the reported state', () => {
  const manual = readFileSync(path.join(root, 'docs/device-link.md'), 'utf8')
  const section = manual.split('### Fields of the state')[1]!.split('\n### ')[0]!
  assert.ok(section.includes(stateTable()), 'write the table of `stateTable` into the section')
})
