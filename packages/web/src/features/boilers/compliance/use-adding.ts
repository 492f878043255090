import { useEffect, useRef, useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import {
  addBoilerGasSafetyRecord,
  addBoilerRecordAttachment,
  addBoilerWaterTreatmentRecord,
  takeBackBoilerRecord,
} from '@caretaker/contract/calls/compliance.ts'
import { CallError } from '@caretaker/contract/error-texts.ts'
import { dayFrom, startOfDay } from '@caretaker/rules/calendar/days.ts'
import type { RecordStatus, RecordType, TestKit } from '@caretaker/rules/compliance/records.ts'
import { useActor } from '../../../api/actor.ts'
import { attempt } from '../../../api/attempt.ts'
import { call } from '../../../api/call.ts'
import { devicePageKey } from '../../../api/device.ts'
import { textsOf } from '../../../api/errors.ts'
import { useZone } from '../../../ui/zone.tsx'
import type { RecordInput } from './record-form.ts'

/** The progress of adding a record; `sent` is the uploaded fraction of its file. */
export type Adding =
  | { is: 'open' }
  | { is: 'saving' }
  | { is: 'uploading'; sent: number }
  | { is: 'failed'; why: string }
  /** The number is used for another property; `use` has the message. */
  | { is: 'asking'; use: string }

/**
 * Adds a record and then its file. If the upload fails, the record is withdrawn; if only the response was lost, the
 * server reports that the file exists.
 */
export function useAdding(type: RecordType, deviceId: string, onAdded: () => void) {
  const { tenant } = useActor()
  const zone = useZone()
  const client = useQueryClient()
  const [adding, setAdding] = useState<Adding>({ is: 'open' })
  const stopping = useRef<AbortController>(undefined)
  // Leaving the page stops the upload and withdraws the record.
  useEffect(() => () => stopping.current?.abort(), [])

  const begin = async (values: RecordInput, coversOtherHome: boolean, signal: AbortSignal): Promise<string> => {
    const body = {
      tenant,
      deviceId,
      recordSerialNumber: values.serialNumber,
      recordTimestamp: new Date(startOfDay(dayFrom(values.day)!, zone)).toISOString(),
      recordStatus: values.status as RecordStatus,
      coversOtherHome,
    }
    if (type === 'GasSafety') return (await call(addBoilerGasSafetyRecord, { body }, { signal })).recordId
    const water = { ...body, testKitUsed: values.testKit as TestKit, awaitsAttachment: values.file !== null }
    return (await call(addBoilerWaterTreatmentRecord, { body: water }, { signal })).recordId
  }

  const upload = async (recordId: string, file: File, signal: AbortSignal): Promise<void> => {
    const onProgress = (sent: number) => setAdding({ is: 'uploading', sent })
    onProgress(0)
    try {
      await call(addBoilerRecordAttachment, { form: { tenant, deviceId, recordId, file } }, { signal, onProgress })
    } catch (error) {
      const back = await attempt(takeBackBoilerRecord, { body: { tenant, deviceId, recordId } })
      if (!back || back.isDeleted) throw error
    }
  }

  const add = async (values: RecordInput, { coversOtherHome = false } = {}): Promise<void> => {
    const { signal } = (stopping.current = new AbortController())
    setAdding({ is: 'saving' })
    let recordId
    try {
      recordId = await begin(values, coversOtherHome, signal)
    } catch (error) {
      const isUsed = error instanceof CallError && error.status === 409
      const why = textsOf(error).join(' ')
      setAdding(signal.aborted ? { is: 'open' } : isUsed ? { is: 'asking', use: why } : { is: 'failed', why })
      return
    }
    try {
      if (values.file) await upload(recordId, values.file, signal)
    } catch (error) {
      setAdding(signal.aborted ? { is: 'open' } : { is: 'failed', why: textsOf(error).join(' ') })
      return
    }
    await client.invalidateQueries({ queryKey: devicePageKey(tenant, deviceId) })
    onAdded()
  }
  return { adding, add, stop: () => stopping.current?.abort(), reopen: () => setAdding({ is: 'open' }) }
}
