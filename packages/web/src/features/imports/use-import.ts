import { useRef, useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import type { Import } from '@caretaker/contract/imports.ts'
import {
  commitImport,
  exportImportFaults,
  exportMarkedImport,
  makeImportKeys,
  planImport,
  undoImport,
} from '@caretaker/contract/calls/imports.ts'
import { useActor } from '../../api/actor.ts'
import { call } from '../../api/call.ts'
import { textsOf } from '../../api/errors.ts'
import { saveFile } from '../../api/save-file.ts'

type ImportOptions = Import['wishes']

/** The actions on an import; each resolves when the page shows the new server state. */
export function useImport(list: Pick<Import, 'importId' | 'revision' | 'wishes'>) {
  const { importId, revision } = list
  const { tenant } = useActor()
  const client = useQueryClient()
  const [busy, setBusy] = useState(0)
  const [problems, setProblems] = useState<readonly string[]>([])
  // Unsaved wishes that are being sent: further changes build upon them, and requests are sent one after the other.
  const [pending, setPending] = useState<ImportOptions>()
  const last = useRef<Promise<unknown>>(Promise.resolve())
  const wishes = pending ?? list.wishes
  const ofImport = { tenant, importId }
  const act = async (sent: () => Promise<unknown>): Promise<true | readonly string[]> => {
    setBusy((now) => now + 1)
    setProblems([])
    try {
      await sent()
      return true
    } catch (error) {
      setProblems(textsOf(error))
      return textsOf(error)
    } finally {
      await client.invalidateQueries({ queryKey: [tenant, 'imports'] })
      setBusy((now) => now - 1)
    }
  }
  return {
    busy: busy > 0,
    problems,
    wishes,
    /** Reads the list again with other wishes. */
    wish: async (change: Partial<ImportOptions>) => {
      const next = { ...wishes, ...change }
      setPending(next)
      const mine = last.current.then(() => act(() => call(planImport, { body: { ...ofImport, wishes: next } })))
      last.current = mine
      await mine
      if (last.current === mine) setPending(undefined)
    },
    commit: () => act(() => call(commitImport, { body: { ...ofImport, revision } })),
    undo: () => act(() => call(undoImport, { body: ofImport })),
    saveKeys: (renew: boolean) =>
      act(async () => saveFile(await call(makeImportKeys, { body: { ...ofImport, renew } }))),
    saveMarked: () => act(async () => saveFile(await call(exportMarkedImport, { body: ofImport }))),
    saveFaults: () => act(async () => saveFile(await call(exportImportFaults, { body: ofImport }))),
  }
}

export type Acts = ReturnType<typeof useImport>
