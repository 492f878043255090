import path from 'node:path'
import type { Plugin } from 'vite'

/** The first pages after a sign-in. */
const firstPages = ['src/features/dashboard/dashboard-page.tsx', 'src/features/devices/list/listing-pages.tsx']

/** Writes `/application-files.json`: what the start of the application and the first pages load, for the sign-in page. */
export const applicationFiles = (): Plugin => ({
  name: 'application-files',
  apply: 'build',
  generateBundle(_, bundle) {
    const starts = ['src/main.tsx', ...firstPages].map((file) => path.join(import.meta.dirname, file))
    const files = new Set<string>()
    const add = (name: string) => {
      const chunk = bundle[name]
      if (chunk?.type !== 'chunk' || files.has(name)) return
      files.add(name)
      for (const style of chunk.viteMetadata?.importedCss ?? []) files.add(style)
      for (const imported of chunk.imports) add(imported)
    }
    for (const chunk of Object.values(bundle))
      if (chunk.type === 'chunk' && chunk.moduleIds.some((id) => starts.includes(id))) add(chunk.fileName)
    this.emitFile({ type: 'asset', fileName: 'application-files.json', source: JSON.stringify([...files].sort()) })
  },
})
