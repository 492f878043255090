import { useState } from 'react'
import { Button, Textarea } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { withdrawBoilerRecord } from '@caretaker/contract/calls/compliance.ts'
import { longestReason, recordTexts } from '@caretaker/rules/compliance/records.ts'
import { useActor } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import { devicePageKey } from '../../../api/device.ts'
import { textsOf } from '../../../api/errors.ts'
import { CancelButton, Dialog, Problems, questionWidth } from '../../../ui/dialog.tsx'
import type { KnownRecord } from './standing.ts'

interface WithdrawDialogProps {
  deviceId: string
  record: KnownRecord
  onClose: () => void
  onWithdrawn: () => void
}

/** Asks why a record is wrong, and withdraws it. */
export function WithdrawDialog({ deviceId, record, onClose, onWithdrawn }: WithdrawDialogProps) {
  const { tenant } = useActor()
  const client = useQueryClient()
  const [reason, setReason] = useState('')
  const [isAsked, setAsked] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [problems, setProblems] = useState<string[]>([])
  const isEmpty = reason.trim() === ''
  const save = async () => {
    setAsked(true)
    if (isEmpty || isBusy) return
    setBusy(true)
    try {
      await call(withdrawBoilerRecord, { body: { tenant, deviceId, recordId: record.recordId, reason: reason.trim() } })
    } catch (error) {
      setProblems(textsOf(error))
      setBusy(false)
      return
    }
    await client.invalidateQueries({ queryKey: devicePageKey(tenant, deviceId) })
    onWithdrawn()
  }
  return (
    <Dialog
      size={questionWidth}
      title={`Withdraw ${record.serialNumber}`}
      onClose={onClose}
      busy={isBusy}
      form={{
        noValidate: true,
        onSubmit: (event) => {
          event.preventDefault()
          void save()
        },
      }}
      actions={
        <>
          <CancelButton disabled={isBusy} />
          <Button type="submit" loading={isBusy}>
            Withdraw
          </Button>
        </>
      }
    >
      <Textarea
        label="Why is this record wrong?"
        description="The record stays visible with its certificate, and no longer counts towards any date."
        required
        autosize
        minRows={2}
        maxLength={longestReason}
        value={reason}
        error={isAsked && isEmpty ? recordTexts.reason : undefined}
        data-autofocus
        onChange={(event) => setReason(event.currentTarget.value.replaceAll('\n', ' '))}
      />
      <Problems texts={problems} />
    </Dialog>
  )
}
