import { useMemo, useState } from 'react'
import { Button, Select, Textarea } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { importSensors } from '@caretaker/contract/calls/connections.ts'
import { useActor } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import { textsOf } from '../../../api/errors.ts'
import { CancelButton, Dialog, Problems } from '../../../ui/dialog.tsx'
import { showSuccess } from '../../../ui/toasts.tsx'
import { connectionsQuery, refreshConnections } from '../queries.ts'
import { countText } from '../words.ts'
import { importColumns, readImportRows } from './import-rows.ts'
import classes from './sensors.module.css'

const shownFaults = 5

/** Adds the sensors of a pasted list, before or after their first message. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const { tenant } = useActor()
  const queryClient = useQueryClient()
  const connections = useQuery(connectionsQuery(tenant)).data ?? []
  const [chosen, setChosen] = useState<string | null>(null)
  const connectionId = chosen ?? (connections.length === 1 ? connections[0]!.id : null)
  const [text, setText] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [problems, setProblems] = useState<readonly string[]>([])
  const { rows, faults } = useMemo(() => readImportRows(text), [text])
  const isValid = connectionId !== null && rows.length > 0 && faults.length === 0
  const send = async () => {
    setBusy(true)
    setProblems([])
    try {
      const { added } = await call(importSensors, {
        params: { tenant },
        body: { connectionId: connectionId!, sensors: rows },
      })
      await refreshConnections(queryClient, tenant)
      showSuccess(`${countText(added.length, 'sensor')} imported`)
      onClose()
    } catch (error) {
      setProblems(textsOf(error))
      setBusy(false)
    }
  }
  return (
    <Dialog
      title="Import DevEUI list"
      wide
      busy={isBusy}
      onClose={onClose}
      form={{
        noValidate: true,
        onSubmit: (event) => {
          event.preventDefault()
          if (isValid && !isBusy) void send()
        },
      }}
      actions={
        <>
          <CancelButton disabled={isBusy} />
          <Button type="submit" disabled={!isValid} loading={isBusy}>
            {rows.length > 0 ? `Import ${countText(rows.length, 'sensor')}` : 'Import'}
          </Button>
        </>
      }
    >
      <Select
        label="Connection"
        withAsterisk
        allowDeselect={false}
        data-autofocus
        data={connections.map(({ id, name }) => ({ value: id, label: name }))}
        value={connectionId}
        onChange={setChosen}
        comboboxProps={{ withinPortal: true }}
      />
      <Textarea
        label="Sensors"
        description={`One sensor per line: ${importColumns.join(', ')}. The name may be left out.`}
        classNames={{ input: classes.paste }}
        rows={8}
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        error={
          faults.length > 0 &&
          [
            ...faults.slice(0, shownFaults),
            ...(faults.length > shownFaults ? [`${faults.length - shownFaults} more`] : []),
          ].join('. ')
        }
      />
      <Problems texts={problems} />
    </Dialog>
  )
}
