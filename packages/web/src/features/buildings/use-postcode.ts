import { useRef, useState } from 'react'
import { CallError } from '@caretaker/contract/error-texts.ts'
import { getLatLong } from '@caretaker/contract/calls/buildings.ts'
import { buildingTexts } from '@caretaker/rules/buildings/building.ts'
import { call } from '../../api/call.ts'
import { useFault } from './use-fault.ts'

interface Place {
  lat: number
  lng: number
  isApproximate: boolean
  credit: string | null
}

type Answer = { of: string; place: Place } | { of: string; fault: string; isDown: boolean }

const required = (text: string) => (text.trim() ? undefined : buildingTexts.postCode)

/** The postcode of a form: its text, and its position once looked up. */
export function usePostcode(tenant: string, first = '') {
  const [text, setText] = useState(first)
  const [isChecking, setChecking] = useState(false)
  const [answer, setAnswer] = useState<Answer>()
  const [missing, require, typed] = useFault(required)
  const current = useRef(first)
  // The answer does not apply to text typed since.
  const known = answer?.of === text ? answer : undefined
  const place = known && 'place' in known ? known.place : undefined

  const check = async (): Promise<Place | undefined> => {
    const of = current.current
    if (require(of)) return undefined
    setChecking(true)
    try {
      const found = (await call(getLatLong, { body: { tenant, postCode: of } })) as Place | null
      setAnswer(found ? { of, place: found } : { of, fault: buildingTexts.invalidPostCode, isDown: false })
      return of === current.current ? (found ?? undefined) : undefined
    } catch (error) {
      const reason = error instanceof CallError ? error.message : ''
      setAnswer({ of, fault: `The postcode could not be checked. ${reason}`.trim(), isDown: true })
      return undefined
    } finally {
      setChecking(false)
    }
  }

  return {
    text,
    place,
    isChecking,
    /** Whether the lookup failed, so that a retry may help. */
    isDown: known !== undefined && 'isDown' in known && known.isDown,
    fault: missing ?? (known && 'fault' in known ? known.fault : undefined),
    type: (next: string) => {
      current.current = next
      setText(next)
      typed(next)
    },
    check,
    /** The position, looked up if necessary. */
    resolve: async () => place ?? check(),
  }
}
