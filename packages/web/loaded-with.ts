interface Modules {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null
}

/** Whether a module is loaded with the file that has this name ending: imported by it, directly or not, not by use. */
export function loadedWith(file: string): (id: string, modules: Modules) => boolean {
  const loaded = new Set<string>()
  const add = (id: string, modules: Modules) => {
    if (loaded.has(id)) return
    loaded.add(id)
    for (const imported of modules.getModuleInfo(id)?.importedIds ?? []) add(imported, modules)
  }
  return (id, modules) => {
    if (!loaded.size) add(`${import.meta.dirname}/${file}`, modules)
    return loaded.has(id)
  }
}
