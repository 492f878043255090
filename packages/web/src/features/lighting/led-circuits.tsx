import { useId } from 'react'
import type { MonitoredLedCircuit } from '@caretaker/rules/lighting/luminaire.ts'
import { monitoredLedCircuitWords, monitoredLedCircuits } from '@caretaker/rules/lighting/luminaire.ts'
import type { InlineControl } from '../../ui/forms/inline-edit.tsx'
import classes from './lighting.module.css'

/** Three cards with a wiring diagram each, because the texts alone are too similar. */
function LedCircuitChoice({ control }: { control: InlineControl }) {
  const name = useId()
  return (
    <div
      role="radiogroup"
      aria-labelledby={control.labelledBy}
      aria-describedby={control.describedBy}
      className={classes.circuits}
    >
      {monitoredLedCircuits.map((circuit) => (
        <label key={circuit} className={classes.circuit} data-chosen={control.value === circuit || undefined}>
          <Wiring circuit={circuit} />
          <span>
            <input
              type="radio"
              name={name}
              value={circuit}
              checked={control.value === circuit}
              disabled={control.disabled}
              onChange={() => control.change(circuit)}
            />
            {monitoredLedCircuitWords[circuit]}
          </span>
        </label>
      ))}
    </div>
  )
}

const mains = 'M4 12h14l4-9 6 18 4-9'
const battery = 'M4 30h24v14H4z'

/** Mains on top, battery below, lamp at the end: the monitored part is solid, the rest dashed. */
function Wiring({ circuit }: { circuit: MonitoredLedCircuit }) {
  const faint = { strokeDasharray: '4 4', opacity: 0.55 }
  const [emergency, maintained] = [circuit !== 'maintained', circuit !== 'emergency']
  return (
    <svg viewBox="0 0 150 50" className={classes.wiring} aria-hidden>
      <g fill="none" stroke="currentColor" strokeWidth="2" strokeLinecap="round" strokeLinejoin="round">
        <path
          d={circuit === 'single' ? `${mains}h28c14 0 12 12 26 12h24` : `${mains}h64c10 0 12 4 18 8`}
          {...(maintained ? {} : faint)}
        />
        <path d={battery} {...(emergency ? {} : faint)} />
        <path
          d={circuit === 'single' ? 'M28 37h32c14 0 12-13 26-13' : 'M28 37h68c10 0 12-4 18-8'}
          {...(emergency ? {} : faint)}
        />
        <circle cx="128" cy="24" r="13" />
      </g>
    </svg>
  )
}

/** The control for the monitored circuit. */
export const ledCircuitChoice = (control: InlineControl) => <LedCircuitChoice control={control} />
