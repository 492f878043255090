import type { SVGProps } from 'react'

export interface IconProps extends Omit<SVGProps<SVGSVGElement>, 'stroke'> {
  /** The width and height in pixels. */
  size?: number | string
  /** The line width in units; the icon is 24 units wide. */
  stroke?: number | string
}

/** An outline icon, drawn along paths in a square of 24 units. */
export function icon(...paths: readonly string[]) {
  return function Icon({ size = 24, stroke = 2, color = 'currentColor', ...rest }: IconProps) {
    return (
      <svg
        xmlns="http://www.w3.org/2000/svg"
        width={size}
        height={size}
        viewBox="0 0 24 24"
        fill="none"
        stroke={color}
        strokeWidth={stroke}
        strokeLinecap="round"
        strokeLinejoin="round"
        {...rest}
      >
        {paths.map((d) => (
          <path key={d} d={d} />
        ))}
      </svg>
    )
  }
}

/** A filled icon. */
export function filledIcon(...paths: readonly string[]) {
  const Icon = icon(...paths)
  return function FilledIcon({ color = 'currentColor', ...rest }: IconProps) {
    return <Icon fill={color} color="none" {...rest} />
  }
}
