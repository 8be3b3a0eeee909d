//! The analog inputs of a chip's program.
//! In: the program of `examples/chips`, which reads four, and their number. Out: the program with this number, by replacing
//! the lines that name pins.

/// As in the first line of a program.
pub(super) const WORDS: [&str; 16] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen",
];

/// Inputs AIN0 to AIN7.
const NRF52840: [&str; 8] = ["P0_02", "P0_03", "P0_04", "P0_05", "P0_28", "P0_29", "P0_30", "P0_31"];

/// A0 to A5 of the Nucleo board, then the others; the last two are its serial port.
const STM32F411: [&str; 16] = [
    "PA0", "PA1", "PA4", "PB0", "PC1", "PC0", "PA6", "PA7", "PB1", "PC2", "PC3", "PC4", "PC5", "PA5", "PA2", "PA3",
];

/// The temperature of the chip is one more input.
const RP2040: [&str; 4] = ["PIN_26", "PIN_27", "PIN_28", "PIN_29"];

pub(super) fn most(chip: &str) -> usize {
    match chip {
        "nrf52840" => NRF52840.len(),
        "stm32f411" => STM32F411.len(),
        _ => RP2040.len() + 1,
    }
}

/// `channels` is from 1 to [`most`].
pub(super) fn program(chip: &str, program: &str, channels: usize) -> String {
    match chip {
        "nrf52840" => nrf52840(program, channels),
        "stm32f411" => stm32f411(program, channels),
        _ => rp2040(program, channels),
    }
}

/// A number of inputs in words.
fn inputs(count: usize) -> String {
    let word = WORDS.get(count.saturating_sub(1)).unwrap_or(&"some");
    format!("{word} analog input{}", if count == 1 { "" } else { "s" })
}

fn between(text: &str, begin: &str, end: &str, new: &str) -> String {
    let Some((head, rest)) = text.split_once(begin) else {
        return text.to_owned();
    };
    match rest.split_once(end) {
        Some((_, tail)) => format!("{head}{begin}{new}{end}{tail}"),
        None => text.to_owned(),
    }
}

fn nrf52840(program: &str, channels: usize) -> String {
    let lines: String = (NRF52840.iter().take(channels))
        .map(|pin| format!("        ChannelConfig::single_ended(chip.{pin}),\n"))
        .collect();
    let program = program.replace("four analog inputs", &inputs(channels));
    between(&program, "    let inputs = [\n", "    ];\n", &lines)
}

fn rp2040(program: &str, channels: usize) -> String {
    let pins = if channels > 3 { channels - 1 } else { channels };
    let mut lines: String = (RP2040.iter().take(pins))
        .map(|pin| format!("        Channel::new_pin(chip.{pin}, Pull::None),\n"))
        .collect();
    let mut words = inputs(pins);
    if pins < channels {
        lines += "        Channel::new_temp_sensor(chip.ADC_TEMP_SENSOR),\n";
        words += " and the temperature of the chip";
    }
    let program = program.replace("three analog inputs and the temperature of the chip", &words);
    between(&program, "    let mut inputs = [\n", "    ];\n", &lines)
}

fn stm32f411(program: &str, channels: usize) -> String {
    let pins = &STM32F411[..channels.min(STM32F411.len())];
    let letters = (b'a'..).map(char::from).map(String::from);
    let names: Vec<String> = letters.take(pins.len()).collect();
    let mut sorted = pins.to_vec();
    sorted.sort_unstable();
    let types: Vec<String> = pins.iter().map(|pin| format!("{pin}<Analog>")).collect();
    let reads: String = (names.iter())
        .map(|name| format!("            self.converter.convert({name}, time),\n"))
        .collect();
    let made: String = (pins.iter())
        .map(|pin| {
            let small = pin.to_lowercase();
            format!("            {}.{small}.into_analog(),\n", &small[1..2])
        })
        .collect();
    // A tuple of one has a comma.
    let comma = if pins.len() == 1 { "," } else { "" };
    let program = program.replace("four analog inputs", &inputs(pins.len()));
    let program = between(&program, "gpio::{", "}", &format!("Analog, {}", sorted.join(", ")));
    let program = between(
        &program,
        "type Inputs = (",
        ")",
        &format!("{}{comma}", types.join(", ")),
    );
    let program = between(&program, "        let (", ")", &format!("{}{comma}", names.join(", ")));
    let program = between(&program, "        [\n", "        ]\n", &reads);
    let program = between(&program, "        inputs: (\n", "        ),\n", &made);
    let program = match pins.len() {
        4 => program,
        _ => program.replace("/// The inputs: A0 to A3 of the board.", "/// The inputs."),
    };
    match pins.contains(&"PB0") {
        true => program,
        false => program
            .replace("let (a, b, c) = (\n", "let (a, c) = (\n")
            .replace("        chip.GPIOB.split(&mut clocks),\n", ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHIPS: [(&str, &str); 3] = [
        ("nrf52840", include_str!("../../../examples/chips/nrf52840/src/main.rs")),
        (
            "stm32f411",
            include_str!("../../../examples/chips/stm32f411/src/main.rs"),
        ),
        ("rp2040", include_str!("../../../examples/chips/rp2040/src/main.rs")),
    ];

    #[test]
    fn four_inputs_are_the_program_of_the_examples() {
        for (chip, text) in CHIPS {
            assert_eq!(program(chip, text, 4), text, "{chip}");
        }
    }

    #[test]
    fn every_number_of_inputs_names_as_many_pins() {
        for (chip, text) in CHIPS {
            for channels in 1..=most(chip) {
                let program = program(chip, text, channels);
                let marks = match chip {
                    "nrf52840" => "ChannelConfig::single_ended(",
                    "stm32f411" => ".into_analog()",
                    _ => "        Channel::new_",
                };
                assert_eq!(program.matches(marks).count(), channels, "{chip} {channels}\n{program}");
                assert_eq!(
                    program.contains("four analog"),
                    channels == if chip == "rp2040" { 5 } else { 4 }
                );
            }
        }
    }
}
