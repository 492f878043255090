import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { webFolder } from '../http/web-folder.ts'

let known: string[] | undefined

/** The addresses of the files that the web client loads after a sign-in; none if it is not built. */
export function applicationFiles(): string[] {
  return (known ??= filesIn(webFolder)) ?? []
}

export function filesIn(folder: string): string[] | undefined {
  const list = path.join(folder, 'application-files.json')
  if (!existsSync(list)) return undefined
  return (JSON.parse(readFileSync(list, 'utf8')) as string[]).map((name) => `/${name}`)
}
