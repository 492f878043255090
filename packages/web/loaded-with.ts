interface Modules {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null
}

/**
 * Whether a module of the product, or one of a package that such a module names, is loaded with a file: imported by it,
 * directly or not. Packages are not followed, because some import all of their parts in one file.
 */
export function loadedWith(file: string): (id: string, modules: Modules) => boolean {
  const loaded = new Set<string>()
  const add = (id: string, modules: Modules) => {
    if (loaded.has(id)) return
    loaded.add(id)
    if (id.includes('/node_modules/')) return
    for (const imported of modules.getModuleInfo(id)?.importedIds ?? []) add(imported, modules)
  }
  return (id, modules) => {
    if (!loaded.size) add(`${import.meta.dirname}/${file}`, modules)
    return loaded.has(id)
  }
}
