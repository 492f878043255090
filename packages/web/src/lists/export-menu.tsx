import { useRef, useState } from 'react'
import { Button, Menu } from '@mantine/core'
import { IconDownload, IconFileSpreadsheet, IconFileText } from '../icons/index.ts'
import type { ExportFormat } from '@caretaker/contract/lists.ts'
import { useActor } from '../api/actor.ts'
import { showCallError } from '../api/errors.ts'
import { saveFile } from '../api/save-file.ts'
import { sizeText } from '../ui/size-text.ts'
import { showProgress } from '../ui/toasts.tsx'
import type { ListState } from './list-state.ts'
import { fileOf } from './queries.ts'
import classes from './list.module.css'

/** The shown columns, each followed by the field that explains it. */
export function columnsOfFile(columns: readonly string[], beside: Readonly<Record<string, string>> = {}): string[] {
  return columns.flatMap((column) => {
    const other = Object.hasOwn(beside, column) ? beside[column]! : undefined
    return other === undefined || columns.includes(other) ? [column] : [column, other]
  })
}

/** Exports all rows of the list, not only the page, with the shown columns. */
export function ExportMenu({ state, total }: { state: ListState; total: number }) {
  const { tenant } = useActor()
  const [busy, setBusy] = useState(false)
  const { source, columns, conditions, sorts, search } = state
  const running = useRef(false)

  async function save(format: ExportFormat): Promise<void> {
    if (running.current) return
    running.current = true
    setBusy(true)
    const words = `Exporting ${total.toLocaleString('en-GB')} ${total === 1 ? 'row' : 'rows'}`
    const progress = showProgress(`${words}…`)
    try {
      const onBytes = (bytes: number) => progress.update(`${words}: ${sizeText(bytes)}`)
      const filed = columnsOfFile(columns, source.exportedBeside)
      saveFile(await fileOf(tenant, source, { filters: conditions, sorts, search, columns: filed, format, onBytes }))
    } catch (error) {
      showCallError(error)
    } finally {
      progress.end()
      running.current = false
      setBusy(false)
    }
  }

  return (
    <Menu width={180}>
      <Menu.Target>
        <Button
          variant="default"
          className={classes.tool}
          leftSection={<IconDownload size={16} aria-hidden />}
          disabled={busy || total === 0}
          title="Export"
        >
          <span className={classes.word}>Export</span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconFileText size={16} aria-hidden />} onClick={() => void save('csv')}>
          CSV
        </Menu.Item>
        <Menu.Item leftSection={<IconFileSpreadsheet size={16} aria-hidden />} onClick={() => void save('xlsx')}>
          Excel
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
