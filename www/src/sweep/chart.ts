import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

/** A line as the chart draws it; a place without a figure is a gap. */
export interface Series {
  label: string;
  values: (number | null)[];
  /** A colour of the theme. */
  color: string;
  dash: number[];
  /** Large hollow points, seen around small full ones where lines coincide; colour alone must not tell them apart. */
  hollow: boolean;
}

export interface ChartOptions {
  x: number[];
  series: Series[];
  xLabel: string;
  yLabel: string;
  format: (value: number) => string;
  logarithmic: boolean;
  width: number;
  height: number;
  /** The place on the x-axis under the pointer, or null. */
  onhover: (at: number | null) => void;
}

const color = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const FONT = "12px system-ui, sans-serif";

/** Draws a curve over a logarithmic x-axis. Colours are read at each drawing, so that a redraw follows the theme. */
export function drawChart(target: HTMLElement, options: ChartOptions): uPlot {
  const { x, series, xLabel, yLabel, format, logarithmic, width, height, onhover } = options;
  const whole = (_: uPlot, splits: number[]) => splits.map((value) => (!logarithmic || Number.isInteger(Math.log10(value)) ? value : null));
  const axis = { stroke: () => color("--muted"), font: FONT, labelFont: FONT, grid: { stroke: () => color("--line"), width: 1 }, ticks: { stroke: () => color("--line"), width: 1 } };
  return new uPlot(
    {
      width,
      height,
      legend: { show: false },
      scales: { x: { time: false, distr: 3, log: 2 }, y: logarithmic ? { distr: 3, log: 10 } : { range: (_, __, max) => [0, (max ?? 1) * 1.08 || 1] } },
      axes: [
        { ...axis, label: xLabel, size: 32, labelSize: 22, splits: () => x, values: (_, splits) => splits.map((value) => (width > 600 || Math.log2(value) % 2 === 0 ? String(value) : "")) },
        {
          ...axis,
          label: yLabel,
          size: 72,
          labelSize: 22,
          filter: whole,
          grid: { ...axis.grid, filter: whole },
          values: (_, splits) => splits.map((value) => (value === null ? "" : value === 0 ? "0" : format(value))),
        },
      ],
      series: [
        {},
        ...series.map(
          (it): uPlot.Series => ({
            label: it.label,
            stroke: () => color(it.color),
            width: 2,
            dash: it.dash,
            spanGaps: false,
            points: { show: true, size: it.hollow ? 12 : 7, width: 2, stroke: () => color(it.color), fill: () => color(it.hollow ? "--panel" : it.color) },
          }),
        ),
      ],
      cursor: { drag: { x: false, y: false }, points: { size: 11 } },
      hooks: { setCursor: [(chart) => onhover(chart.cursor.idx ?? null)] },
    },
    [x, ...series.map((it) => it.values)],
    target,
  );
}
