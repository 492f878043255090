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

/** The post code of a form: what is typed, and where that is once it has been looked up. */
export function usePostcode(tenant: string, first = '') {
  const [text, setText] = useState(first)
  const [isChecking, setChecking] = useState(false)
  const [answer, setAnswer] = useState<Answer>()
  const [missing, require, typed] = useFault(required)
  const current = useRef(first)
  // Of what was typed since, the answer says nothing.
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
      setAnswer({ of, fault: `The post code could not be checked. ${reason}`.trim(), isDown: true })
      return undefined
    } finally {
      setChecking(false)
    }
  }

  return {
    text,
    place,
    isChecking,
    /** Whether it could not be asked, so that asking again may help. */
    isDown: known !== undefined && 'isDown' in known && known.isDown,
    fault: missing ?? (known && 'fault' in known ? known.fault : undefined),
    type: (next: string) => {
      current.current = next
      setText(next)
      typed(next)
    },
    check,
    /** Where it is, looked up if that was not done yet. */
    settled: async () => place ?? check(),
  }
}
